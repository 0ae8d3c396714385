"""Golden logits of a GGUF file, as transformers reads it in float32.

    python scripts/golden/ggufLogits.py SmolLM2-135M-Instruct.Q4_1.gguf node/model/src/model/golden/gguf/smollm2.json

Of some sequences of token ids: at a few positions the likeliest tokens with their logits, and some drawn ones.
"""

import json
import os
import sys

import numpy as np
import torch
from transformers import AutoModelForCausalLM

POSITIONS = [0, 7, 39, 119]
LIKELIEST = 8
DRAWN = 8


def main(file, path):
    folder, name = os.path.split(os.path.abspath(file))
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    rng = np.random.default_rng(13)
    size = model.config.vocab_size
    cases = []
    for _ in range(3):
        tokens = [int(token) for token in rng.integers(0, size, POSITIONS[-1] + 1)]
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0].numpy()
        rows = []
        for position in POSITIONS:
            ids = [int(i) for i in np.argsort(-logits[position])[:LIKELIEST]]
            ids += [int(i) for i in rng.integers(0, size, DRAWN)]
            rows.append({"position": position, "ids": ids, "logits": [round(float(logits[position][i]), 5) for i in ids]})
        cases.append({"tokens": tokens, "rows": rows})
    with open(path, "w") as out:
        json.dump(cases, out)
        out.write("\n")


main(*sys.argv[1:])
