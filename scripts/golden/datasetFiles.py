"""Small Parquet files of every compression and page version, for the tests of node/src/hub/datasets.

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


tests = pa.struct([("input", pa.list_(pa.string())), ("output", pa.list_(pa.string()))])


def contests() -> pa.Table:
    rows = [
        {
            "name": "1_A. Sum",
            "description": "You get two numbers.\n\nInput\n\nTwo numbers in a line.\n\nOutput\n\nTheir sum.",
            "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
            "private_tests": {"input": ["0 0\n", "-5 5\n"], "output": ["0\n", "0\n"]},
            "generated_tests": {"input": [], "output": []},
            "input_file": "",
            "time_limit": {"seconds": 1, "nanos": 500000000},
        },
        {
            "name": "2_B. From a file",
            "description": "Read from a file.",
            "public_tests": {"input": ["1"], "output": ["1"]},
            "private_tests": {"input": [], "output": []},
            "generated_tests": {"input": [], "output": []},
            "input_file": "input.txt",
            "time_limit": None,
        },
    ]
    limit = pa.struct([("seconds", pa.int64()), ("nanos", pa.int64())])
    schema = pa.schema(
        [
            ("name", pa.string()),
            ("description", pa.string()),
            ("public_tests", tests),
            ("private_tests", tests),
            ("generated_tests", tests),
            ("input_file", pa.string()),
            ("time_limit", limit),
        ]
    )
    return pa.Table.from_pylist(rows, schema)


for compression in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
    for version in ["1.0", "2.0"]:
        name = f"mbpp.{compression}.v{version[0]}.parquet"
        pq.write_table(mbpp(3), out / name, compression=compression, data_page_version=version, store_schema=False)
pq.write_table(mbpp(10), out / "groups.parquet", compression="zstd", row_group_size=4, store_schema=False)
pq.write_table(mbpp(0), out / "empty.parquet", store_schema=False)
pq.write_table(contests(), out / "contests.parquet", compression="snappy", data_page_version="2.0", store_schema=False)
broken = pa.table({"id": ["a", "b"], "text": pa.array([b"\xff\xfe", b"good"], pa.binary()), "tests": [["assert f(1) == 1"]] * 2})
pq.write_table(broken, out / "notUtf8.parquet", store_schema=False)
