"""One measurement of torch on the GPU, in its own process: `python3 torchPeer.py '{"what": "decode", ...}'` prints one JSON line.

Weights are random in the shape that is asked for. Decoding takes the faster of transformers' caches: the static one is compiled where torch can, which
may take long, so the other's answer is printed before.
"""

import json
import statistics
import sys
import time

import torch

asked = json.loads(sys.argv[1])
what = asked["what"]


def timed(job):
    torch.cuda.synchronize()
    start = time.perf_counter()
    job()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def best(job, count=5):
    job()
    return min(timed(job) for _ in range(count))


def bandwidth():
    x = torch.ones(1 << 28, device="cuda")
    return {"perSec": 4 * x.numel() / best(lambda: x.sum())}


def peak():
    torch.backends.cuda.matmul.allow_tf32 = False
    dtype = getattr(torch, asked["dtype"])
    a, b = (torch.randn(4096, 4096, device="cuda", dtype=dtype) for _ in range(2))
    return {"perSec": 2 * 4096**3 / best(lambda: a @ b)}


def decode():
    from transformers import Qwen2Config, Qwen2ForCausalLM

    shape = asked["config"]
    config = Qwen2Config(
        vocab_size=shape["vocabSize"],
        hidden_size=shape["hiddenSize"],
        intermediate_size=shape["intermediateSize"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        num_key_value_heads=shape["kvHeads"],
        max_position_embeddings=shape["maxPositions"],
        tie_word_embeddings=True,
    )
    torch.set_default_dtype(torch.float16)
    model = Qwen2ForCausalLM(config).to("cuda").eval()
    prompt = torch.randint(2, config.vocab_size, (asked["rows"], 64), device="cuda")
    mask = torch.ones_like(prompt)

    def generate(tokens, cache):
        drawing = dict(do_sample=True, temperature=1.0, top_k=0, top_p=0.95) if asked["isSampled"] else dict(do_sample=False)
        options = dict(pad_token_id=0, **drawing)
        if cache:
            options["cache_implementation"] = cache
        with torch.inference_mode():
            model.generate(prompt, attention_mask=mask, min_new_tokens=tokens, max_new_tokens=tokens, **options)

    def rate(cache):
        for tokens in [asked["tokens"], 8]:
            generate(tokens, cache)  # compiles, for each length
        more = asked["tokens"] - 8
        seconds = [timed(lambda: generate(asked["tokens"], cache)) - timed(lambda: generate(8, cache)) for _ in range(3)]
        return asked["rows"] * more / statistics.median(seconds)

    found = []
    for cache in [None, "static"]:
        try:
            found.append((rate(cache), f"{cache or 'dynamic'} cache"))
            tokens_per_sec, described = max(found)
            print(json.dumps({"tokensPerSec": tokens_per_sec, "described": described}), flush=True)
        except Exception as error:
            print(f"{cache}: {error}", file=sys.stderr)
    if not found:
        raise RuntimeError("neither cache of transformers works")


if what == "decode":
    decode()
else:
    print(json.dumps({"bandwidth": bandwidth, "peak": peak}[what]()))
