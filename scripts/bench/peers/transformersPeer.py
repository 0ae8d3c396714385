"""transformers.generate as a peer: one JSON line in, one out."""
import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM

model = None

for line in sys.stdin:
    asked = json.loads(line)
    torch.set_num_threads(asked["threads"])
    if asked["what"] == "load":
        dtype = getattr(torch, asked["dtype"])
        model = AutoModelForCausalLM.from_pretrained(asked["folder"], dtype=dtype).eval()
        print(json.dumps({}), flush=True)
        continue
    prompt = torch.tensor([[(i * 7919) % 151936 for i in range(asked["promptTokens"])]])
    start = time.perf_counter()
    with torch.inference_mode():
        model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            num_return_sequences=asked["rows"],
            min_new_tokens=asked["newTokens"],
            max_new_tokens=asked["newTokens"],
            do_sample=True,
            temperature=1.0,
            top_k=0,
            top_p=1.0,
            pad_token_id=0,
        )
    print(json.dumps({"totalSec": time.perf_counter() - start}), flush=True)
