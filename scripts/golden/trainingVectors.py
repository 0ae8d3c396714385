"""Golden vectors of training, by PyTorch, TRL, PEFT and transformers in float32.

    python scripts/golden/trainingVectors.py make node/test/training.golden   writes the vectors that training.golden.test.ts reads
    python scripts/golden/trainingVectors.py check FOLDER                    loads what Waggle exported and compares the logits (see the end of this file)

Made with torch 2.15.0, transformers 5.23.0, trl 1.16.0, peft 0.21.2 on the CPU.
"""

import json
import sys
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers import get_cosine_schedule_with_warmup
from trl import GRPOConfig, GRPOTrainer

VOCABULARY = 40
PROMPTS = [3, 5, 4, 3]
COMPLETIONS = [6, 4, 7, 5]
TRUNCATED = 2
MAX_COMPLETION_LENGTH = 8
PAD = 0

POLICY = dict(epsilon=0.2, epsilon_high=0.28)
BETA = 0.04
LOSSES = {
    "grpo": dict(loss_type="grpo"),
    "dr_grpo": dict(loss_type="dr_grpo"),
    "dapo": dict(loss_type="dapo"),
    "bnpo": dict(loss_type="bnpo"),
    "gspo": dict(loss_type="grpo", importance_sampling_level="sequence"),
}
CAP = 1.1
# Tiny random models of other families, by scripts/golden/decoderVectors.py.
DECODERS = Path(__file__).parents[2] / "node/model/src/model/golden/decoders"
FAMILIES = ["qwen3", "llama-linear", "llama3-biases"]


def tiny_model():
    torch.manual_seed(4)
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        rope_theta=10000.0,
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
    )
    model = Qwen2ForCausalLM(config).float()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn_like(weight)
            weight.copy_(1 + 0.1 * noise if "norm" in name else 0.2 * noise)
    return model


def batch():
    generator = torch.Generator().manual_seed(7)
    rows = len(PROMPTS)
    width, length = max(PROMPTS), max(COMPLETIONS)
    inputs = {
        "prompt_ids": torch.full((rows, width), PAD),
        "prompt_mask": torch.zeros(rows, width, dtype=torch.long),
        "completion_ids": torch.full((rows, length), PAD),
        "completion_mask": torch.zeros(rows, length, dtype=torch.long),
    }
    for row, (prompt, completion) in enumerate(zip(PROMPTS, COMPLETIONS)):
        inputs["prompt_ids"][row, width - prompt :] = torch.randint(1, VOCABULARY, (prompt,), generator=generator)
        inputs["prompt_mask"][row, width - prompt :] = 1
        inputs["completion_ids"][row, :completion] = torch.randint(1, VOCABULARY, (completion,), generator=generator)
        inputs["completion_mask"][row, :completion] = 1
    noise = lambda: 0.4 * torch.randn(rows, length, generator=generator)
    return inputs, [noise() for _ in range(3)]


def trainer_for(model, **options):
    vocabulary = {"<pad>": 0, "<eos>": 1, **{f"t{i}": i for i in range(2, VOCABULARY)}}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>")), pad_token="<pad>", eos_token="<eos>"
    )
    arguments = GRPOConfig(
        output_dir="/tmp/golden",
        per_device_train_batch_size=len(PROMPTS),
        num_generations=len(PROMPTS),
        gradient_accumulation_steps=1,
        max_completion_length=MAX_COMPLETION_LENGTH,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to=[],
        **POLICY,
        **options,
    )
    rewards = lambda completions, **_: [0.0] * len(completions)
    data = Dataset.from_dict({"prompt": ["t2"] * len(PROMPTS)})
    trainer = GRPOTrainer(model, rewards, args=arguments, train_dataset=data, processing_class=tokenizer)
    trainer.current_gradient_accumulation_steps = 1
    trainer.beta = BETA  # set here, or the trainer would look for a reference model by its name
    trainer.model.train()
    return trainer


def logprobs_of(model, inputs):
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
    mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    logits = model(input_ids=ids, attention_mask=mask, position_ids=positions).logits
    length = inputs["completion_ids"].shape[1]
    picked = torch.log_softmax(logits[:, -length - 1 : -1], -1)
    return picked.gather(-1, inputs["completion_ids"].unsqueeze(-1)).squeeze(-1).detach()


def loss_of(trainer, inputs):
    trainer.model.zero_grad()
    inputs = {**inputs, "num_items_in_batch": inputs["completion_mask"].sum()}
    loss = trainer._compute_loss(trainer.model, inputs)
    loss.backward()
    return loss.item()


def gradients_of(model, rename=lambda name: name):
    return {rename(n): p.grad.clone() for n, p in model.named_parameters() if p.requires_grad}


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    model = tiny_model()
    model.save_pretrained(folder / "base")
    inputs, (old, reference, sampling) = batch()
    policy = logprobs_of(model, inputs)
    inputs["old_per_token_logps"] = policy + old
    inputs["ref_per_token_logps"] = policy + reference
    sampled = inputs["old_per_token_logps"] + sampling
    rewards = torch.tensor([1.0, 0.0, 0.25, 0.6])
    inputs["advantages"] = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
    mask = inputs["completion_mask"]

    vectors, losses = {}, {}
    for name, options in LOSSES.items():
        trainer = trainer_for(tiny_model(), **options)
        losses[name] = loss_of(trainer, inputs)
        vectors |= {f"full.{name}.{n}": g for n, g in gradients_of(trainer.model).items()}

    trainer = trainer_for(tiny_model(), loss_type="dapo")
    cut = mask.clone()
    cut[TRUNCATED] = 0
    losses["masked"] = loss_of(trainer, {**inputs, "completion_mask": cut})
    trainer.use_vllm = trainer.vllm_importance_sampling_correction = True
    difference = (inputs["old_per_token_logps"] - sampled) * mask
    byToken = torch.exp(difference).clamp(max=CAP)
    bySequence = torch.exp(difference.sum(-1, keepdim=True)).clamp(max=CAP)
    losses["token_truncate"] = loss_of(trainer, {**inputs, "importance_sampling_ratio": byToken})
    losses["sequence_truncate"] = loss_of(trainer, {**inputs, "importance_sampling_ratio": bySequence})

    adapted = get_peft_model(tiny_model(), LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    torch.manual_seed(5)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.copy_(0.2 * torch.randn_like(weight))
    adapted.save_pretrained(folder / "adapter")
    for name in ["grpo", "dr_grpo", "dapo", "gspo"]:
        trainer = trainer_for(adapted, **LOSSES[name])
        losses[f"lora.{name}"] = loss_of(trainer, inputs)
        rename = lambda n: n.replace("base_model.model.", "", 1).replace(".default", "")
        vectors |= {f"lora.{name}.{n}": g for n, g in gradients_of(trainer.model, rename).items()}
    tokens = torch.tensor([[2, 9, 31, 17, 5, 22]])
    with torch.no_grad():
        vectors["logits.adapter"] = adapted(input_ids=tokens).logits[0].contiguous()
        vectors["logits.base"] = model(input_ids=tokens).logits[0].contiguous()

    steps, peak, warmup = 10, 3e-3, 3
    trainer = trainer_for(tiny_model(), loss_type="dapo")
    optimizer = torch.optim.AdamW(
        trainer.model.parameters(), lr=peak, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.01
    )
    schedule = get_cosine_schedule_with_warmup(optimizer, warmup, steps + 2)
    rates, norms = [], []
    for _ in range(steps):
        loss_of(trainer, inputs)
        norms.append(torch.nn.utils.clip_grad_norm_(trainer.model.parameters(), 0.5).item())
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    vectors |= {f"adamw.{n}": p.detach().clone() for n, p in trainer.model.named_parameters()}

    families = {}
    for family in FAMILIES:
        other = AutoModelForCausalLM.from_pretrained(DECODERS / family, dtype=torch.float32)
        logprobs = logprobs_of(other, inputs)
        own = {**inputs, "old_per_token_logps": logprobs + old, "ref_per_token_logps": logprobs + reference}
        trainer = trainer_for(other, loss_type="dapo")
        families[family] = {
            "loss": loss_of(trainer, own),
            "oldLogprobs": [own["old_per_token_logps"][row, :n].tolist() for row, n in enumerate(COMPLETIONS)],
            "referenceLogprobs": [own["ref_per_token_logps"][row, :n].tolist() for row, n in enumerate(COMPLETIONS)],
        }
        vectors |= {f"{family}.{n}": g for n, g in gradients_of(trainer.model).items()}

    rows = range(len(PROMPTS))
    real = lambda tensor, row: tensor[row, : COMPLETIONS[row]].tolist()
    sequences = [
        {
            "prompt": inputs["prompt_ids"][row, -PROMPTS[row] :].tolist(),
            "completion": real(inputs["completion_ids"], row),
            "oldLogprobs": real(inputs["old_per_token_logps"], row),
            "referenceLogprobs": real(inputs["ref_per_token_logps"], row),
            "samplingLogprobs": real(sampled, row),
            "reward": rewards[row].item(),
            "advantage": inputs["advantages"][row].item(),
            "truncated": row == TRUNCATED,
        }
        for row in rows
    ]
    record = {
        "sequences": sequences,
        "losses": losses,
        "maxCompletionLength": MAX_COMPLETION_LENGTH,
        "importanceSamplingCap": CAP,
        "adamW": {"rates": rates, "norms": norms, "peak": peak, "warmupSteps": warmup, "totalSteps": steps + 2},
        "tokens": tokens[0].tolist(),
        "families": families,
    }
    (folder / "training.json").write_text(json.dumps(record, indent=1) + "\n")
    save_file({n: t.contiguous() for n, t in vectors.items()}, folder / "training.safetensors")
    print(json.dumps(losses, indent=1))


def check(folder):
    """FOLDER holds `base`, `adapter`, `merged`, and `logits.safetensors` with Waggle's `adapter` and `merged` for `tokens`."""
    expected = load_file(folder / "logits.safetensors")
    tokens = expected["tokens"].long().unsqueeze(0)
    base = AutoModelForCausalLM.from_pretrained(folder / "base")
    merged = AutoModelForCausalLM.from_pretrained(folder / "merged")
    adapted = PeftModel.from_pretrained(base, folder / "adapter")
    with torch.no_grad():
        for name, model in {"adapter": adapted, "merged": merged}.items():
            difference = (model(input_ids=tokens).logits[0] - expected[name]).abs().max().item()
            print(f"{name}: logits differ by {difference:.2e}")
            assert difference < 1e-4


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](Path(sys.argv[2]))
