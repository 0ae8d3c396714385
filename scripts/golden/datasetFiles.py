"""Small Parquet files of every compression and page version, and of the columns that MBPP, CodeContests and HumanEval have on the hub.

    pip install pyarrow==26.0.1
    python scripts/golden/datasetFiles.py node/src/hub/datasets/golden
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)


def mbpp(count: int) -> pa.Table:
    rows = [
        {
            "task_id": 601 + n,
            "text": f"Write a function to add {n} to a number. Bee \N{HONEYBEE}.",
            "code": f"def add_{n}(x):\r\n    return x + {n}",
            "test_list": [f"assert add_{n}({x}) == {x + n}" for x in range(3)],
            "test_setup_code": "",
            "challenge_test_list": [],
        }
        for n in range(count)
    ]
    schema = pa.schema(
        [
            ("task_id", pa.int32()),
            ("text", pa.string()),
            ("code", pa.string()),
            ("test_list", pa.list_(pa.string())),
            ("test_setup_code", pa.string()),
            ("challenge_test_list", pa.list_(pa.string())),
        ]
    )
    return pa.Table.from_pylist(rows, schema)


text, texts, number = pa.string(), pa.list_(pa.string()), pa.int64()
tests = pa.struct([("input", texts), ("output", texts)])
solutions = pa.struct([("language", pa.list_(number)), ("solution", texts)])


def contests() -> pa.Table:
    """The columns of deepmind/code_contests, and what may be null in them."""
    schema = pa.schema(
        [
            ("name", text),
            ("description", text),
            ("public_tests", tests),
            ("private_tests", tests),
            ("generated_tests", tests),
            ("source", number),
            ("difficulty", number),
            ("solutions", solutions),
            ("incorrect_solutions", solutions),
            ("cf_contest_id", number),
            ("cf_index", text),
            ("cf_points", pa.float32()),
            ("cf_rating", pa.int32()),
            ("cf_tags", texts),
            ("is_description_translated", pa.bool_()),
            ("untranslated_description", text),
            ("time_limit", pa.struct([("seconds", number), ("nanos", number)])),
            ("memory_limit_bytes", number),
            ("input_file", text),
            ("output_file", text),
        ]
    )
    row = {
        "name": "1_A. Sum",
        "description": "You get two numbers.\n\nInput\n\nTwo numbers in a line.\n\nOutput\n\nTheir sum.",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": ["0 0\n", "-5 5\n"], "output": ["0\n", "0\n"]},
        "generated_tests": {"input": [], "output": []},
        "source": 2,
        "difficulty": 7,
        "solutions": {"language": [3], "solution": ["print(sum(map(int, input().split())))"]},
        "incorrect_solutions": {"language": [3], "solution": ["print(3)"]},
        "cf_contest_id": 1,
        "cf_index": "A",
        "cf_points": 500.0,
        "cf_rating": 800,
        "cf_tags": ["math"],
        "is_description_translated": False,
        "untranslated_description": "",
        "time_limit": {"seconds": 1, "nanos": 500000000},
        "memory_limit_bytes": 256000000,
        "input_file": "",
        "output_file": "",
    }
    changes = [
        {},
        {"name": "2_B. From a file", "input_file": "input.txt"},
        {"description": None},
        {"name": "4_D. Private", "public_tests": None, "time_limit": None, "cf_tags": None, "input_file": None},
        {"public_tests": {"input": None, "output": None}},
        {"generated_tests": {"input": ["1 1\n"], "output": [None]}},
    ]
    return pa.Table.from_pylist([row | change for change in changes], schema)


def sanitized() -> pa.Table:
    """The columns of google-research-datasets/mbpp, sanitized."""
    schema = pa.schema(
        [
            ("source_file", text),
            ("task_id", pa.int32()),
            ("prompt", text),
            ("code", text),
            ("test_imports", texts),
            ("test_list", texts),
        ]
    )
    row = {
        "source_file": "Benchmark Questions Verification V2.ipynb",
        "task_id": 2,
        "prompt": "Write a function to halve a number.",
        "code": "def half(number):\n  return number / 2 ",
        "test_imports": ["import math"],
        "test_list": ["assert math.isclose(half(3), 1.5)", "assert half(4)==2"],
    }
    changes = [{}, {"task_id": 3, "test_imports": [], "test_list": row["test_list"][1:]}, {"test_list": None}, {"prompt": None}]
    return pa.Table.from_pylist([row | change for change in changes], schema)


def human_eval() -> pa.Table:
    """The columns of openai/openai_humaneval."""
    row = {
        "task_id": "HumanEval/0",
        "prompt": 'from typing import List\n\n\ndef twice(x: int) -> int:\n    return 2 * x\n\n\ndef f(xs: List[int]) -> List[int]:\n    """ Doubles. """\n',
        "canonical_solution": "    return [twice(x) for x in xs]\n",
        "test": "\n\nMETADATA = {\n    'author': 'jt',\n    'dataset': 'test'\n}\n\n\ndef check(candidate):\n    assert candidate([1, 2]) == [2, 4]\n",
        "entry_point": "f",
    }
    return pa.Table.from_pylist([row, row | {"entry_point": None}], pa.schema([(name, text) for name in row]))


def write_as_hub(table: pa.Table, name: str, **options) -> None:
    """As the hub's own files: Snappy, pages of version 1, dictionaries, the Arrow schema and the library's metadata next to the footer."""
    library = {b"huggingface": b'{"info": {"features": {}}}'}
    pq.write_table(table.replace_schema_metadata(library), out / name, compression="snappy", write_statistics=False, **options)


for compression in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
    for version in ["1.0", "2.0"]:
        name = f"mbpp.{compression}.v{version[0]}.parquet"
        pq.write_table(mbpp(3), out / name, compression=compression, data_page_version=version, store_schema=False)
pq.write_table(mbpp(10), out / "groups.parquet", compression="zstd", row_group_size=4, store_schema=False)
pq.write_table(mbpp(0), out / "empty.parquet", store_schema=False)
# Lists of the years before pyarrow 15 have elements of another name.
write_as_hub(contests(), "contests.parquet", row_group_size=4, use_compliant_nested_type=False)
write_as_hub(sanitized(), "sanitized.parquet", write_page_index=True)
write_as_hub(human_eval(), "humanEval.parquet")
broken = pa.table({"id": ["a", "b"], "text": pa.array([b"\xff\xfe", b"good"], pa.binary()), "tests": [["assert f(1) == 1"]] * 2})
pq.write_table(broken, out / "notUtf8.parquet", store_schema=False)
# A dictionary's one text stands in every row: 4 KB that come to 512 MB.
repeated = pa.table({"text": ["x" * (1 << 19)] * 1024, "tests": [["assert f(1) == 1"]] * 1024})
pq.write_table(repeated, out / "repeated.parquet", compression="zstd", dictionary_pagesize_limit=1 << 22, write_statistics=False, store_schema=False)
