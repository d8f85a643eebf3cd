"""Writes Parquet and CSV files as pandas, pyarrow and DuckDB write them, and prints what they hold as JSON.

usage: foreign.py DIR
"""
import json
import os
import random
import sys

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

DIR = sys.argv[1]
ROWS = 5000
random.seed(7)


def maybe(value):
    return None if random.random() < 0.3 else value


columns = {
    "kernel": [random.randrange(2**32) for _ in range(ROWS)],
    "time": [maybe(random.randrange(-2**63, 2**63)) for _ in range(ROWS)],
    "small": [maybe(random.randrange(-100, 100)) for _ in range(ROWS)],
    "large": [random.randrange(2**64) for _ in range(ROWS)],
    "share": [maybe(random.choice([0.5, -1.25, 1e300, 3.0, random.random()])) for _ in range(ROWS)],
    "single": [random.choice([0.5, -2.0, 1.5]) for _ in range(ROWS)],
    "name": [maybe(random.choice(["", "a", "größe", "x" * 300, str(random.random())])) for _ in range(ROWS)],
    "truth": [maybe(random.random() < 0.5) for _ in range(ROWS)],
    "list": [maybe([random.randrange(1000) for _ in range(random.randrange(4))]) for _ in range(ROWS)],
    "constant": [3] * ROWS,
    "missing": [None] * ROWS,
}
schema = pa.schema([
    pa.field("kernel", pa.uint32(), nullable=False), ("time", pa.int64()), ("small", pa.int16()), ("large", pa.uint64()),
    ("share", pa.float64()), ("single", pa.float32()), ("name", pa.string()), ("truth", pa.bool_()), ("list", pa.list_(pa.int64())),
    pa.field("constant", pa.int32(), nullable=False), ("missing", pa.int64()),
])
rows = pa.table(columns, schema=schema)
delta = {"kernel": "DELTA_BINARY_PACKED", "time": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED", "large": "DELTA_BINARY_PACKED",
         "constant": "DELTA_BINARY_PACKED", "missing": "DELTA_BINARY_PACKED", "list.list.element": "DELTA_BINARY_PACKED"}
for name, options in {
    "default": {},
    "pages": {"data_page_size": 500, "row_group_size": 777, "compression": "gzip"},
    "second": {"data_page_version": "2.0", "data_page_size": 900, "compression": "zstd"},
    "plain": {"use_dictionary": False, "compression": "none", "version": "1.0"},
    "delta": {"use_dictionary": False, "column_encoding": delta, "compression": "brotli"},
    "delta2": {"use_dictionary": False, "column_encoding": delta, "data_page_version": "2.0", "row_group_size": 1000},
}.items():
    pq.write_table(rows, f"{DIR}/{name}.parquet", **options)

duckdb.sql(f"COPY (SELECT * FROM rows) TO '{DIR}/duckdb.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
duckdb.sql(f"COPY (SELECT * FROM rows) TO '{DIR}/duckdb2.parquet' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v1)")

flat = {n: v for n, v in columns.items() if n in ("kernel", "share", "name", "truth")}
pd.DataFrame(flat).to_parquet(f"{DIR}/pandas.parquet")
pd.DataFrame({"kernel": columns["kernel"], "name": ["a,\"b\"\nc"] * ROWS}).to_csv(f"{DIR}/pandas.csv", index=False)

# Types that are left out.
pq.write_table(pa.table({
    "kernel": columns["kernel"], "place": [{"x": 1, "y": 2}] * ROWS, "words": [["a"]] * ROWS,
    "price": pa.array([None] * ROWS, pa.decimal128(10, 2)), "key": pa.array([b"1234"] * ROWS, pa.binary(4)),
}), f"{DIR}/skipped.parquet")

json.dump({"columns": columns, "files": sorted(f for f in os.listdir(DIR) if f not in ("pandas.csv", "skipped.parquet"))}, sys.stdout)

# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an active exception").
sys.stdout.flush()
os._exit(0)
