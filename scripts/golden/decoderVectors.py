"""Golden vectors of decoders, by transformers and PEFT in float32.

    python scripts/golden/decoderVectors.py node/model/src/model/golden/decoders

Writes for each kind of decoder a tiny random model as a folder of Hugging Face's (config.json and safetensors in the type of
its row below), and golden.json: logits of short prompts and of the end of a long one, and what greedy generation appends, with
log-probabilities at temperature 1, plainly and with a repetition penalty. Two come with a LoRA adapter, saved by PEFT, with vectors of its own.

All numbers are of the model as it is read back from its files, so a 16-bit model's are of its rounded weights.
"""

import json
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import peft
import torch
import transformers
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config

SHAPE = dict(
    vocab_size=96,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=512,
    bos_token_id=None,
    eos_token_id=None,
)
LLAMA3 = dict(
    rope_type="llama3",
    rope_theta=500000.0,
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=64,
)
LORA = ["q_proj", "v_proj", "o_proj", "down_proj"]

# Name: config, type of the files, bytes of a file at most, fields that config.json has in an older spelling, adapter.
MODELS = {
    "qwen2": (Qwen2Config(**SHAPE, rope_theta=1e6, tie_word_embeddings=True), torch.float32, None, None, None),
    "qwen3": (
        Qwen3Config(**SHAPE, head_dim=16, rope_theta=1e6, tie_word_embeddings=True),
        torch.float32,
        None,
        None,
        dict(r=4, lora_alpha=8, target_modules=LORA + ["gate_proj"]),
    ),
    "qwen3-sharded": (
        Qwen3Config(**SHAPE, head_dim=12, rope_theta=1e6, tie_word_embeddings=False, attention_bias=True),
        torch.bfloat16,
        15_000,
        None,
        None,
    ),
    # As deepseek-coder-1.3b: a key head for each query head, and rotary positions in the spelling before transformers 5.
    "llama-linear": (
        LlamaConfig(
            **{**SHAPE, "num_key_value_heads": 4, "eos_token_id": 7},
            rope_theta=100000.0,
            rope_parameters=dict(rope_type="linear", factor=4.0),
        ),
        torch.bfloat16,
        None,
        dict(rope_theta=100000.0, rope_scaling=dict(type="linear", factor=4.0)),
        dict(r=3, lora_alpha=5, use_rslora=True, target_modules=LORA),
    ),
    "llama3-biases": (
        LlamaConfig(
            **{**SHAPE, "num_key_value_heads": 1},
            rope_parameters=LLAMA3,
            attention_bias=True,
            mlp_bias=True,
            tie_word_embeddings=True,
        ),
        torch.float16,
        None,
        None,
        None,
    ),
    # As Qwen2.5-7B and larger.
    "qwen2-untied": (
        Qwen2Config(**SHAPE, rope_theta=1e6, tie_word_embeddings=False),
        torch.float16,
        20_000,
        None,
        None,
    ),
}

SHORT = [[5], [17, 3, 88, 42, 0, 95, 61, 17, 9], [(7 * i + 11) % 96 for i in range(24)]]
LONG = [(i * i + 5 * i) % 96 for i in range(300)]
NEW_TOKENS = 24
PENALTY = 1.3
# Greedy tokens are asked to be identical, so no step may be decided by rounding.
LEAST_MARGIN = 1e-3


def randomize(model, generator):
    """Weights whose distributions are peaked, with norms and biases that are neither one nor zero."""
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if name.endswith("norm.weight"):
            values = 1 + 0.2 * noise
        elif parameter.dim() == 1:
            values = 0.3 * noise
        elif "embed_tokens" in name or "lm_head" in name:
            values = 0.7 * noise
        else:
            values = 1.6 * noise / parameter.shape[1] ** 0.5
        parameter.data.copy_(values)


def rounded(values):
    return [float(f"{x:.7g}") for x in values]


@torch.no_grad()
def greedily(model, penalty):
    greedy = []
    for prompt in SHORT:
        out = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            max_new_tokens=NEW_TOKENS,
            do_sample=False,
            repetition_penalty=penalty,
            output_logits=True,
            output_scores=True,
            return_dict_in_generate=True,
            pad_token_id=0,
        )
        tokens = out.sequences[0, len(prompt) :].tolist()
        logits = torch.cat(out.logits)
        best = torch.cat(out.scores).topk(2).values
        margin = (best[:, 0] - best[:, 1]).min().item()
        assert margin > LEAST_MARGIN, f"a step is decided by {margin}"
        logprobs = logits.log_softmax(-1)[range(len(tokens)), tokens]
        greedy.append(dict(prompt=prompt, tokens=tokens, logprobs=rounded(logprobs.tolist())))
    return greedy


@torch.no_grad()
def vectors(model):
    all_logits = [model(torch.tensor([prompt])).logits[0] for prompt in SHORT]
    return dict(
        logits=[dict(tokens=p, logits=[rounded(row) for row in x.tolist()]) for p, x in zip(SHORT, all_logits)],
        long=dict(tokens=LONG, logits=rounded(model(torch.tensor([LONG])).logits[0, -1].tolist())),
        greedy=greedily(model, 1.0),
        penalized=dict(penalty=PENALTY, greedy=greedily(model, PENALTY)),
    )


def make(folder, seed, config, dtype, shard_bytes, spelling, adapter):
    generator = torch.Generator().manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    randomize(model, generator)
    model.to(dtype).save_pretrained(folder, **(dict(max_shard_size=shard_bytes) if shard_bytes else {}))
    if spelling:
        path = folder / "config.json"
        content = json.loads(path.read_text())
        del content["rope_parameters"]
        path.write_text(json.dumps({**content, **spelling}, indent=2) + "\n")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    write(folder / "golden.json", vectors(model))
    if adapter:
        torch.manual_seed(seed)
        adapted = peft.get_peft_model(model, peft.LoraConfig(**adapter, lora_dropout=0.0, init_lora_weights=False))
        adapted.eval().save_pretrained(folder / "adapter")
        (folder / "adapter" / "README.md").unlink(missing_ok=True)
        path = folder / "adapter" / "adapter_config.json"
        # PEFT keeps where the model was read from, and its targets as a set.
        tidy = {"base_model_name_or_path": None, "target_modules": adapter["target_modules"]}
        path.write_text(json.dumps({**json.loads(path.read_text()), **tidy}, indent=2) + "\n")
        write(folder / "adapter" / "golden.json", vectors(adapted))


def write(path, content):
    versions = {package.__name__: package.__version__ for package in (torch, transformers, peft)}
    path.write_text(json.dumps({"made_by": versions, **content}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    out = Path(sys.argv[1])
    for seed, (name, row) in enumerate(MODELS.items()):
        make(out / name, 20 + seed, *row)
