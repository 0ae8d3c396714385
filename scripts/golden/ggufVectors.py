"""Golden vectors of GGUF tensor types, by llama.cpp's own `gguf` package.

    python scripts/golden/ggufVectors.py node/model/src/model/golden/gguf/blocks.json

For each type some blocks of random bytes, their scales replaced by ordinary halves, and the float32 values that the package
reads from them: both as base64 of little-endian bytes.
"""

import base64
import json
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

BLOCKS = 3
# Where a block's halves are: scales, and minima where there are some.
HALVES = {
    "Q8_0": [0],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
}


def main(path):
    rng = np.random.default_rng(13)
    vectors = {}
    for name in ["F32", "F16", "BF16", *HALVES]:
        kind = GGMLQuantizationType[name]
        elements, size = GGML_QUANT_SIZES[kind]
        values = rng.normal(0, 0.02, 8).astype(np.float32)
        if name in HALVES:
            raw = rng.integers(0, 256, (BLOCKS, size), dtype=np.uint8)
            for at in HALVES[name]:
                raw[:, at : at + 2] = rng.normal(0, 0.02, (BLOCKS, 1)).astype(np.float16).view(np.uint8)
        elif name == "F32":
            raw = values.view(np.uint8)
        elif name == "F16":
            raw = values.astype(np.float16).view(np.uint8)
        else:
            raw = (values.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
        raw = raw.reshape(1, -1)
        typed = raw.view(np.float32) if name == "F32" else raw.view(np.float16) if name == "F16" else raw
        out = dequantize(typed, kind).astype(np.float32).reshape(-1)
        vectors[name] = {
            "type": int(kind),
            "bytes": base64.b64encode(raw.tobytes()).decode(),
            "values": base64.b64encode(out.tobytes()).decode(),
        }
    with open(path, "w") as file:
        json.dump(vectors, file, indent=1)
        file.write("\n")


main(sys.argv[1])
