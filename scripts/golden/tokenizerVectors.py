"""Golden vectors of tokenizers and chat templates, by Hugging Face's tokenizers and transformers.

    python scripts/golden/tokenizerVectors.py node/model/src/model/golden/tokenizers

Trains a small byte-level BPE for each family on the text below, with the family's own split, normalizer and kinds of added
tokens, and writes for each a folder as a model has it (tokenizer.json, tokenizer_config.json, perhaps chat_template.jinja)
and golden.json: token ids of texts, texts of token ids, and rendered and encoded conversations. The templates are ours; they
use what the families' own use (defaults, trimming, conditions, special-token variables, enable_thinking).
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import tokenizers
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

CORPUS = [
    "def total(xs):\n    return sum(x for x in xs if x > 3)\n",
    "Write total(xs). Return the sum of the numbers above 3, and don't count 1234 twice.",
    "def count(xs):\n    return len([x for x in xs if x % 12 == 0])\n",
    "Ein schöner Tag: das Maß ist voll. Il a été là. 数字 と 漢字。 Привет, мир!",
    "You are a careful programmer. Answer with one fenced block of Python and nothing else.\r\n\r\n",
] * 4

TEXTS = [
    "",
    "    return sum(x for x in xs if x > 1234)\n\n\n",
    "It's we'll I'VE don't  double  spaces\tand\ttabs \n \n end ",
    "Wörld 漢字 Привет e\u0301 \u00a0\u0085 ²½ 🐝🏽 \u200d",
    "12345678 3.14 0x1F 1_000",
    "a\r\nb\rc\n\n\n   d",
    "!!! ... ?? ,,, ((([[[{{{ <|x|> </s> õ÷Á",
    "ﬁ Å \u1e9b\u0323 \ufb01",
    "日本語のテキスト、とても長い文章です。한국어 텍스트",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
]

SYSTEM, USER, ASSISTANT = "system", "user", "assistant"
CHATS = [
    [(USER, "Write total(xs). Return the sum.")],
    [(SYSTEM, "You are a bee."), (USER, "  Write\n\ncount(xs).  \n")],
    [(SYSTEM, "\n"), (USER, "\n\nx"), (ASSISTANT, "def f():\n    pass\n"), (USER, "12")],
]

QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA_SPLIT = QWEN_SPLIT.replace(r"\p{N}| ?", r"\p{N}{1,3}| ?")


def split(pattern, behavior="isolated"):
    return pre_tokenizers.Split(Regex(pattern), behavior)


def qwen():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split(QWEN_SPLIT), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    plain = ["<think>", "</think>", "<tool_call>"]
    template = (
        "{%- if messages[0].role == 'system' %}\n"
        "    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}\n"
        "{%- else %}\n"
        "    {{- '<|im_start|>system\\nBe brief.<|im_end|>\\n' }}\n"
        "{%- endif %}\n"
        "{%- for message in messages %}\n"
        "    {%- if not (loop.first and message.role == 'system') %}\n"
        "        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}\n"
        "    {%- endif %}\n"
        "{%- endfor %}\n"
        "{%- if add_generation_prompt %}\n"
        "    {{- '<|im_start|>assistant\\n' }}\n"
        "    {%- if enable_thinking is defined and enable_thinking is false %}\n"
        "        {{- '<think>\\n\\n</think>\\n\\n' }}\n"
        "    {%- endif %}\n"
        "{%- endif %}"
    )
    config = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "bos_token": None, "chat_template": template}
    return tokenizer, special, plain, config, None


def deepseek():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            split(r"[\r\n]"),
            split(r"\s?\p{L}+"),
            split(r"\s?\p{P}+"),
            split(r"[一-龥ࠀ-一가-퟿]+"),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    special = ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|EOT|>"]
    plain = ["õ", "÷", "Á", "<｜fim▁hole｜>"]
    template = (
        "{{ bos_token }}"
        "{% for message in messages %}"
        "{% if message['role'] == 'system' %}{{ message['content'] }}"
        "{% elif message['role'] == 'user' %}{{ '### Instruction:\\n' + message['content'] + '\\n' }}"
        "{% else %}{{ '### Response:\\n' + message['content'] + '\\n' + eos_token + '\\n' }}"
        "{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ '### Response:' }}{% endif %}"
    )
    config = {"bos_token": {"__type": "AddedToken", "content": special[0], "lstrip": False, "normalized": True, "rstrip": False, "single_word": False},
              "eos_token": {"__type": "AddedToken", "content": "<|EOT|>", "lstrip": False, "normalized": True, "rstrip": False, "single_word": False},
              "chat_template": template}
    return tokenizer, special, plain, config, None


def llama():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split(LLAMA_SPLIT), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    special = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    template = (
        "{%- set loop_messages = messages %}\n"
        "{%- for message in loop_messages %}\n"
        "    {%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' %}\n"
        "    {%- if loop.index0 == 0 %}\n"
        "        {%- set content = bos_token + content %}\n"
        "    {%- endif %}\n"
        "    {{- content }}\n"
        "{%- endfor %}\n"
        "{%- if add_generation_prompt %}\n"
        "    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\n"
        "{%- endif %}\n"
    )
    config = {"bos_token": special[0], "eos_token": "<|eot_id|>"}
    return tokenizer, special, [], config, template


def write(folder, family):
    tokenizer, special, plain, config, jinja = family()
    os.makedirs(folder, exist_ok=True)
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in plain])
    tokenizer.save(os.path.join(folder, "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **config}
    dump(os.path.join(folder, "tokenizer_config.json"), config)
    if jinja is not None:
        with open(os.path.join(folder, "chat_template.jinja"), "w") as file:
            file.write(jinja)

    fast = PreTrainedTokenizerFast.from_pretrained(folder)
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    size = tokenizer.get_vocab_size()
    decoded = [list(range(250, 300)), [5, 200, 7, 180, 181], list(range(size - 8, size))]
    chats = []
    for chat in CHATS:
        messages = [{"role": role, "content": content} for role, content in chat]
        options = {"add_generation_prompt": True, "enable_thinking": False}
        text = fast.apply_chat_template(messages, tokenize=False, **options)
        tokens = fast.apply_chat_template(messages, tokenize=True, return_dict=False, **options)
        chats.append({"messages": messages, "text": text, "ids": [int(i) for i in tokens]})
    dump(
        os.path.join(folder, "golden.json"),
        {
            "madeBy": f"tokenizers {tokenizers.__version__}, transformers {transformers.__version__}",
            "texts": [{"text": text, "ids": ids(text)} for text in TEXTS],
            "decoded": [
                {
                    "ids": row,
                    "drop": tokenizer.decode(row, skip_special_tokens=True),
                    "keep": tokenizer.decode(row, skip_special_tokens=False),
                }
                for row in decoded
            ],
            "specials": {text: tokenizer.token_to_id(text) for text in special},
            "chats": chats,
        },
    )


def dump(path, value):
    with open(path, "w") as file:
        json.dump(value, file, ensure_ascii=False, indent=2)
        file.write("\n")


if __name__ == "__main__":
    for name, family in {"qwen": qwen, "deepseek": deepseek, "llama": llama}.items():
        write(os.path.join(sys.argv[1], name), family)
