"""Opens written tables with DuckDB, pandas and pyarrow, as users do.

usage: engines.py DIR EXPECTED; exits non-zero at the first difference.
DIR holds the sets that TestEngines writes and about.json, which describes them.
"""
import json
import math
import os
import sys

import duckdb
import pandas as pd
import pyarrow.dataset as ds
import pyarrow.parquet as pq

DIR, EXPECTED = sys.argv[1:3]
ABOUT = json.load(open(f"{DIR}/about.json"))
WANT = json.load(open(EXPECTED))
ALL = {t["Name"]: {c["Name"]: c for c in t["Columns"]} for t in ABOUT["tables"]}
TABLES = {name: columns for name, columns in ALL.items() if name in WANT}
KEYS = ["trace", "gpu", "set", "policy"]
DUCKDB_TYPES = {"bool": "BOOLEAN", "uint8": "UTINYINT", "uint32": "UINTEGER", "uint64": "UBIGINT", "int32": "INTEGER",
                "int64": "BIGINT", "float64": "DOUBLE", "string": "VARCHAR", "list of int64": "BIGINT[]"}


def same(got, want, what):
    if got != want:
        sys.exit(f"{what}\n got {got!r}\nwant {want!r}")


def sql(query):
    return duckdb.sql(query)


def glob(out, table):
    return f"read_parquet('{DIR}/{out}/{table}/**/*.parquet', hive_partitioning=true)"


def type_of(column):
    return ABOUT["types"][column["Type"]]


def check_words():
    reserved = {w for w, in sql("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'").fetchall()}
    same([(t, c) for t, columns in ALL.items() for c in columns if c in reserved], [], "columns that SQL would have to quote")


def check_duckdb():
    for table, columns in TABLES.items():
        rel = sql(f"SELECT * FROM {glob('parquet', table)}")
        types = dict(zip(rel.columns, map(str, rel.types)))
        want = {name: DUCKDB_TYPES[type_of(c)] for name, c in columns.items()}
        want.update({key: "VARCHAR" for key in KEYS})
        same(types, want, f"DuckDB: columns of {table}")
        for name in columns:
            got = [r[0] for r in sql(f"SELECT {name} FROM {glob('parquet', table)}").fetchall()]
            same(got, WANT[table][name], f"DuckDB: {table}.{name}")
        same(sql(f"SELECT DISTINCT trace, policy FROM {glob('parquet', table)}").fetchall(), [(ABOUT["trace"], ABOUT["policy"])],
             f"DuckDB: hive keys of {table}")


def plain(value):
    """A pandas or pyarrow value as JSON would hold it."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.tolist() if hasattr(value, "tolist") else value


def check_pandas():
    for table, columns in TABLES.items():
        for options in ({}, {"dtype_backend": "pyarrow"}):
            frame = pd.read_parquet(f"{DIR}/parquet/{table}", **options)
            same(sorted(frame.columns), sorted([*columns, *KEYS]), f"pandas: columns of {table}")
            for name in columns:
                same([plain(v) for v in frame[name]], WANT[table][name], f"pandas {options}: {table}.{name}")
            same([set(frame["trace"]), set(frame["policy"])], [{ABOUT["trace"]}, {ABOUT["policy"]}], f"pandas: hive keys of {table}")


def check_documented():
    out = f"{DIR}/parquet"
    rows = sql(f"SELECT policy, cycles FROM read_parquet('{out}/runs/**/*.parquet', hive_partitioning=true)").fetchall()
    same(rows, [(ABOUT["policy"], 706000), (ABOUT["policy"], 0)], "documented query")
    same(len(pd.read_parquet(f"{out}/ctas")), 2, "documented pandas call")


def check_empty():
    for table, columns in TABLES.items():
        rel = sql(f"SELECT * FROM {glob('empty', table)}")
        same(sorted(rel.columns), sorted([*columns, *KEYS]), f"DuckDB: columns of empty {table}")
        same(rel.fetchall(), [], f"DuckDB: rows of empty {table}")
        frame = pd.read_parquet(f"{DIR}/empty/{table}")
        same((len(frame), sorted(frame.columns)), (0, sorted([*columns, *KEYS])), f"pandas: empty {table}")
        count = sql(f"SELECT policy, count(*) FROM {glob('mixed', table)} GROUP BY 1").fetchall()
        same(count, [("full", len(next(iter(WANT[table].values()))))], f"DuckDB: {table} of a set with and one without rows")


def statistics(values, t):
    """Least, greatest and how many NULL, as Parquet keeps them."""
    flat = [v for row in values for v in row] if t == "list of int64" else [v for v in values if v is not None]
    # A list without values counts as one NULL of its leaf.
    nulls = sum(1 for v in values if v is None or v == [])
    return (min(flat), max(flat), nulls) if flat else (None, None, nulls)


def check_statistics():
    convert = {"bool": lambda s: s == "true", "float64": float, "string": str}
    for table, columns in TABLES.items():
        path = f"{DIR}/parquet/{table}/**/*.parquet"
        rows = sql(f"SELECT path_in_schema, stats_min_value, stats_max_value, stats_null_count, compression FROM parquet_metadata('{path}')").fetchall()
        same([r[0].split(",")[0] for r in rows], list(columns), f"statistics: columns of {table}")
        for path_in_schema, least, greatest, nulls, compression in rows:
            name = path_in_schema.split(",")[0]
            t = type_of(columns[name])
            value = convert.get(t, int)
            got = (None if least is None else value(least), None if greatest is None else value(greatest), nulls)
            same(got, statistics(WANT[table][name], t), f"statistics of {table}.{name}")
            same(compression, "ZSTD", f"compression of {table}.{name}")


def check_metadata():
    want = {kv["Key"]: kv["Value"] for kv in ABOUT["metadata"]}
    want.update(trace=ABOUT["trace"], gpu="k20c", set="preset", policy=ABOUT["policy"], clock_mhz="706")
    for table in TABLES:
        path = f"{DIR}/parquet/{table}/**/*.parquet"
        got = {k.decode(): v.decode() for _, k, v in sql(f"SELECT file_name, key, value FROM parquet_kv_metadata('{path}')").fetchall()}
        docs = json.loads(got.pop("columns"))
        same(docs, {name: c["Doc"] for name, c in TABLES[table].items()}, f"descriptions of the columns of {table}")
        same(got, {**want, "table": table}, f"key-values of {table}")
        version = sql(f"SELECT DISTINCT format_version FROM parquet_file_metadata('{path}')").fetchall()
        same(version, [(2,)], f"format version of {table}")


def check_many():
    rows, batch = ABOUT["rows"], ABOUT["batch"]
    groups = sql(f"""SELECT row_group_num_rows, stats_min_value::BIGINT, stats_max_value::BIGINT
        FROM parquet_metadata('{DIR}/many/ctas/**/*.parquet') WHERE path_in_schema = 'end_cycles' ORDER BY row_group_id""").fetchall()
    ends = [(1000 + 3 * at, 1000 + 3 * (min(at + batch, rows) - 1)) for at in range(0, rows, batch)]
    same([g[0] for g in groups], [min(batch, rows - at) for at in range(0, rows, batch)], "row groups")
    same([g[1:] for g in groups], ends, "row groups can be skipped by end_cycles")
    index = range(rows)
    want = (rows, rows - len(range(0, rows, 7)), sum(i % 100 for i in index if i % 7 == 0), sum((3 * i) % 977 for i in index),
            sum((i * i) % 5000 for i in index), sum(i % 80 for i in index))
    query = "SELECT count(*), count(*) FILTER (child_kernel IS NULL), sum(child_kernel), sum(active_cycles), sum(warp_instructions), sum(sm)"
    same(sql(f"{query} FROM {glob('many', 'ctas')}").fetchall()[0], want, "DuckDB: sums of ctas")
    frame = pd.read_parquet(f"{DIR}/many/ctas")
    same((len(frame), frame.child_kernel.isna().sum(), frame.child_kernel.sum(), frame.active_cycles.sum(), frame.warp_instructions.sum(),
          frame.sm.sum()), want, "pandas: sums of ctas")
    samples = range(0, rows, 16)
    want = (len(samples), sum(1 + i for i in samples), sum(samples))
    query = "SELECT count(*), sum(list_sum(kernels)), sum(list_sum(ctas_finished))"
    same(sql(f"{query} FROM {glob('many', 'timeline')}").fetchall()[0], want, "DuckDB: lists of timeline")
    frame = pd.read_parquet(f"{DIR}/many/timeline")
    same((len(frame), sum(map(sum, frame.kernels)), sum(map(sum, frame.ctas_finished))), want, "pandas: lists of timeline")
    words = ["", "cheaper", "queue full"]
    want = [words[i % 3] or None for i in samples]
    same([plain(v) for v in pd.read_parquet(f"{DIR}/many/launches").reason], want, "pandas: reasons of launches")


def check_names():
    want = sorted((n, n, n) for n in ABOUT["names"])
    same(sorted(sql(f"SELECT trace, policy, name FROM {glob('names', 'metrics')}").fetchall()), want, "DuckDB: names")
    frame = pd.read_parquet(f"{DIR}/names/metrics")
    same(sorted(zip(frame.trace, frame.policy, frame.name)), want, "pandas: names")


def check_arrow():
    for table, columns in TABLES.items():
        data = ds.dataset(f"{DIR}/arrow/arrow/{table}", format="ipc", partitioning="hive").to_table()
        for name in columns:
            same(data[name].to_pylist(), WANT[table][name], f"Arrow: {table}.{name}")
        same(data["policy"].unique().to_pylist(), [ABOUT["policy"]], f"Arrow: hive keys of {table}")
        metadata = data.schema.metadata or ds.dataset(f"{DIR}/arrow/arrow/{table}", format="ipc").schema.metadata
        same(metadata[b"table"], table.encode(), f"Arrow: key-values of {table}")


def check_csv():
    for table, columns in TABLES.items():
        path = f"{DIR}/csv/csv/{table}/**/*.csv"
        types = ", ".join(f"'{name}': '{DUCKDB_TYPES[type_of(c)]}'" for name, c in columns.items())
        rel = sql(f"SELECT * FROM read_csv('{path}', hive_partitioning=true, types={{{types}}}, escape='\"')")
        for name, c in columns.items():
            got = [r[0] for r in rel.project(name).fetchall()]
            want = [None if v == "" else v for v in WANT[table][name]]  # an empty text is NULL in CSV
            same(got, want, f"CSV: {table}.{name}")


def check_single_file():
    table = pq.ParquetFile(next(iter(ds.dataset(f"{DIR}/parquet/runs").files))).read()
    same(set(TABLES["runs"]), set(table.column_names), "a file alone has the columns of the table and no hive keys")


for check in (check_words, check_duckdb, check_pandas, check_documented, check_empty, check_statistics, check_metadata, check_many, check_names,
              check_arrow, check_csv, check_single_file):
    check()

# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an active exception").
sys.stdout.flush()
os._exit(0)
