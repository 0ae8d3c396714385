"""One measured GRPO step of TRL in its own process, with the shapes of shape.ts and trainingShape.ts.

    python trlStep.py '{"precision": "float32" | "default", "threads": 2, ...}'

`default` takes TRL's own choice of type and of activation checkpointing. The step is the median of three after one of its size. `device` may be `cuda`: it
is then with activation checkpointing or without, whichever is faster and fits. Generation and rewards are left out: the step is the loss, its gradients, clipping and the
optimizer, on given completions. Prints the seconds of the step and the highest resident memory of the process, which had seen nothing but its own model.
"""

import gc

import json
import os
import resource
import statistics
import sys
import tempfile
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from kitPackages import with_kit
from peft import LoraConfig
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM


def load():
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    return Dataset, GRPOConfig, GRPOTrainer


Dataset, GRPOConfig, GRPOTrainer = with_kit(load)

request = json.loads(sys.argv[1])
torch.set_num_threads(request["threads"])
rows, prompt, completion = request["sequences"], request["prompt"], request["completion"]
shape = request["config"]
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
float32 = request["precision"] == "float32"
cuda = request.get("device") == "cuda"
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=Tokenizer(models.WordLevel({"<pad>": 0, "<eos>": 1}, unk_token="<pad>")),
    pad_token="<pad>",
    eos_token="<eos>",
)


def trainer_of(choices):
    """A trainer whose model and optimizer are ready for a step."""
    arguments = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=rows,
        num_generations=rows,
        max_completion_length=completion,
        learning_rate=1e-6,
        use_cpu=not cuda,
        report_to=[],
        **choices,
    )
    trainer = GRPOTrainer(
        Qwen2ForCausalLM(config),
        lambda completions, **_: [0.0] * len(completions),
        args=arguments,
        train_dataset=Dataset.from_dict({"prompt": ["x"] * rows}),
        processing_class=tokenizer,
        peft_config=LoraConfig(r=request["rank"], lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"),
    )
    trainer.current_gradient_accumulation_steps = 1
    trainer.create_optimizer()
    wrapped, optimizer = trainer.accelerator.prepare(trainer.model, trainer.optimizer)
    wrapped.train()
    return trainer, wrapped, optimizer


def step(trainer, wrapped, optimizer, length):
    ones = lambda width: torch.ones(rows, width, dtype=torch.long)
    settle = torch.cuda.synchronize if cuda else lambda: None
    inputs = {
        "prompt_ids": torch.randint(2, config.vocab_size, (1, prompt)).repeat(rows, 1),
        "prompt_mask": ones(prompt),
        "completion_ids": torch.randint(2, config.vocab_size, (rows, length)),
        "completion_mask": ones(length),
        "advantages": torch.tensor([1.0, -1.0] * (rows // 2)),
        "num_items_in_batch": torch.tensor(rows * length),
    }
    inputs = {name: tensor.to(trainer.accelerator.device) for name, tensor in inputs.items()}
    settle()
    start = time.perf_counter()
    with trainer.compute_loss_context_manager():
        loss = trainer._compute_loss(wrapped, inputs)
    trainer.accelerator.backward(loss)
    trainer.accelerator.clip_grad_norm_(wrapped.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    settle()
    return time.perf_counter() - start


def measured(choices):
    """Seconds of a step, and the choices behind them."""
    trainer, wrapped, optimizer = trainer_of(choices)
    step(trainer, wrapped, optimizer, completion)  # kernels and buffers are chosen by shape
    seconds = statistics.median(step(trainer, wrapped, optimizer, completion) for _ in range(3))
    dtype = next(trainer.model.parameters()).dtype
    arguments = trainer.args
    return seconds, f"{dtype}, checkpointing {arguments.gradient_checkpointing}, bf16 {arguments.bf16}"


def report(seconds, described):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peakBytes": peak, "described": described}), flush=True)


def report_faster():
    """The faster of two steps. The first is printed before the second is tried, which may not answer in time."""
    found = []
    for checkpointing in [False, True]:
        try:
            found.append(measured(dict(gradient_checkpointing=checkpointing)))
            report(*min(found))
        except torch.cuda.OutOfMemoryError as error:
            print(error, file=sys.stderr)
        gc.collect()
        torch.cuda.empty_cache()
    if not found:
        raise MemoryError("no step of TRL fits into the GPU's memory")


if cuda:
    report_faster()
else:
    report(*measured(dict(bf16=False, gradient_checkpointing=False) if float32 else {}))
