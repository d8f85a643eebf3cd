"""Asks ten questions of a folder of tables with pandas, polars and pyarrow, one short expression each, and compares the
answers with those of DuckDB to the queries of samples/queries.

usage: questions.py OUT QUERIES; exits non-zero at the first difference.
"""
import math
import os
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow.compute as pc
import pyarrow.dataset as ds

OUT, QUERIES = sys.argv[1:3]
KEYS = ["trace", "gpu", "set", "policy"]


def sql(name, columns):
    with open(f"{QUERIES}/{name}.sql") as f:
        relation = duckdb.sql(f.read().replace("replay-out", OUT))
    return sorted(relation.project(", ".join(columns)).fetchall(), key=str)


def frame(name):
    return pd.read_parquet(f"{OUT}/{name}")


def lazy(name):
    return pl.scan_parquet(f"{OUT}/{name}/**/*.parquet", hive_partitioning=True)


def data(name):
    return ds.dataset(f"{OUT}/{name}", partitioning="hive").to_table()


def check(question, want, **answers):
    if not want:
        sys.exit(f"{question}: no answer")
    for engine, rows in answers.items():
        rows = sorted((tuple(r) for r in rows), key=str)
        near = len(rows) == len(want) and all(
            math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(b, float) else a == b for r, w in zip(rows, want) for a, b in zip(r, w))
        if not near:
            sys.exit(f"{question}, {engine}\n got {rows[:9]}\nwant {want[:9]}")


def tuples(x):
    if isinstance(x, pd.DataFrame):
        return x.astype(object).itertuples(index=False, name=None)
    if isinstance(x, pl.LazyFrame):
        return x.collect().rows()
    return zip(*(x[c].to_pylist() for c in x.column_names))


def arrow_sum(table, by, column, how):
    grouped = table.group_by(by).aggregate([(column, how)])
    return tuples(grouped.select([*by, f"{column}_{how}"]))


# Speed-up over serial.
runs = frame("runs").astype({k: object for k in KEYS})
base = runs[runs.policy == "serial"]
both = runs.merge(base, on=["trace", "gpu", "set"], suffixes=("", "_base"))
p = lazy("runs")
p = p.join(p.filter(pl.col("policy") == "serial"), on=["trace", "gpu", "set"], suffix="_base")
a = data("runs")
serial = {r["trace"]: r["cycles"] for r in a.to_pylist() if r["policy"] == "serial"}
want = [r for r in sql("speedup", ["trace", "policy", "speedup"]) if r[0] != "geometric mean"]
check("speed-up", want, pandas=tuples(both.assign(s=both.cycles_base / both.cycles)[["trace", "policy", "s"]]),
      polars=tuples(p.select("trace", "policy", pl.col("cycles_base") / pl.col("cycles"))),
      pyarrow=[(r["trace"], r["policy"], serial[r["trace"]] / r["cycles"]) for r in a.to_pylist()])

# Waiting of launches.
f = frame("launches")
f = f[f.decision != "inline"]
check("waiting", sql("waiting-time", ["policy", "mean_cycles"]), pandas=f.groupby("policy", observed=True).waiting_cycles.mean().items(),
      polars=tuples(lazy("launches").filter(pl.col("decision") != "inline").group_by("policy").agg(pl.col("waiting_cycles").mean())),
      pyarrow=arrow_sum(data("launches").filter(pc.field("decision") != "inline"), ["policy"], "waiting_cycles", "mean"))

# Occupancy over time.
f = frame("timeline").astype({k: object for k in KEYS}).merge(frame("machines").astype({k: object for k in KEYS}), on=KEYS)
p = lazy("timeline").join(lazy("machines"), on=KEYS)
places = {(r["trace"], r["policy"]): r["sms"] * r["warps_per_sm"] for r in data("machines").to_pylist()}
check("occupancy", sql("occupancy", ["policy", "time_cycles", "occupancy_pct"]),
      pandas=tuples(f.assign(o=100.0 * f.active_warps / (f.sms * f.warps_per_sm))[["policy", "end_cycles", "o"]]),
      polars=tuples(p.select("policy", "end_cycles", 100.0 * pl.col("active_warps") / (pl.col("sms") * pl.col("warps_per_sm")))),
      pyarrow=[(r["policy"], r["end_cycles"], 100.0 * r["active_warps"] / places[r["trace"], r["policy"]]) for r in data("timeline").to_pylist()])

# Kernels at once: the steps that they make; their running sum is the answer.
want = sql("concurrent-kernels", ["policy", "time_cycles", "kernels"])
f = frame("kernels")
steps = pd.concat([f[["policy"]].assign(t=f[c], n=n) for c, n in (("first_cta_cycles", 1), ("end_cycles", -1))]).dropna()
steps = steps.groupby(["policy", "t"], observed=True).n.sum().groupby("policy", observed=True).cumsum().reset_index()
k = lazy("kernels")
p = pl.concat([k.select("policy", pl.col(c).alias("t"), pl.lit(n).alias("n")) for c, n in (("first_cta_cycles", 1), ("end_cycles", -1))])
p = p.drop_nulls().group_by("policy", "t").agg(pl.col("n").sum()).sort("policy", "t").select("policy", "t", pl.col("n").cum_sum().over("policy"))
counts = {}
for r in data("kernels").to_pylist():
    for t, n in ((r["first_cta_cycles"], 1), (r["end_cycles"], -1)):
        counts[r["policy"], t] = counts.get((r["policy"], t), 0) + n
running, rows = {}, []
for (policy, t), n in sorted(counts.items()):
    running[policy] = running.get(policy, 0) + n
    rows.append((policy, t, running[policy]))
check("kernels at once", want, pandas=[(a, int(b), c) for a, b, c in tuples(steps)], polars=tuples(p), pyarrow=rows)

# Stalls: the share of memory.
f = frame("ctas")
g = f.assign(stay=f.end_cycles - f.dispatch_cycles).groupby("policy", observed=True)[["stalled_memory_cycles", "stay"]].sum()
p = lazy("ctas").group_by("policy").agg(100.0 * pl.col("stalled_memory_cycles").sum() / (pl.col("end_cycles") - pl.col("dispatch_cycles")).sum())
a = data("ctas")
a = a.append_column("stay", pc.subtract(a["end_cycles"], a["dispatch_cycles"])).group_by("policy").aggregate([("stalled_memory_cycles", "sum"), ("stay", "sum")])
check("stalls", sql("stalls", ["policy", "memory_pct"]), pandas=(100.0 * g.stalled_memory_cycles / g.stay).items(), polars=tuples(p),
      pyarrow=[(r["policy"], 100.0 * r["stalled_memory_cycles_sum"] / r["stay_sum"]) for r in a.to_pylist()])

# Bandwidth: bytes over the whole run; the query has it by window.
f = frame("timeline")
want = sorted(duckdb.sql(f"SELECT policy, sum(dram_read_bytes)::BIGINT FROM read_parquet('{OUT}/timeline/**/*.parquet', hive_partitioning=true) GROUP BY 1").fetchall(), key=str)
check("bandwidth", want, pandas=f.groupby("policy", observed=True).dram_read_bytes.sum().items(),
      polars=tuples(lazy("timeline").group_by("policy").agg(pl.col("dram_read_bytes").sum())), pyarrow=arrow_sum(data("timeline"), ["policy"], "dram_read_bytes", "sum"))

# Streams.
want = sql("streams", ["policy", "stream", "kernel_cycles"])
check("streams", want, pandas=[(*k, v) for k, v in frame("kernels").groupby(["policy", "stream"], observed=True).duration_cycles.sum().items()],
      polars=tuples(lazy("kernels").group_by("policy", "stream").agg(pl.col("duration_cycles").sum())),
      pyarrow=arrow_sum(data("kernels"), ["policy", "stream"], "duration_cycles", "sum"))

# Latency of tasks.
want = sql("task-latency", ["policy", "mean_ns"])
check("latency", want, pandas=frame("tasks").groupby("policy", observed=True).latency_ns.mean().items(),
      polars=tuples(lazy("tasks").group_by("policy").agg(pl.col("latency_ns").mean())), pyarrow=arrow_sum(data("tasks"), ["policy"], "latency_ns", "mean"))

# Pages that have arrived in the end.
want = sorted(duckdb.sql(f"SELECT policy, count(*) FROM read_parquet('{OUT}/pages/**/*.parquet', hive_partitioning=true) WHERE ready GROUP BY 1").fetchall(), key=str)
f = frame("pages")
check("pages", want, pandas=f[f.ready].groupby("policy", observed=True).size().items(), polars=tuples(lazy("pages").filter("ready").group_by("policy").len()),
      pyarrow=arrow_sum(data("pages").filter(pc.field("ready")), ["policy"], "page", "count"))

# Coalescing.
f = frame("launches")
f = f[f.decision != "inline"]
a = data("launches").filter(pc.field("decision") != "inline")
a = a.append_column("joined", pc.cast(pc.equal(a["decision"], "group"), "int64"))
check("coalescing", sql("coalescing", ["policy", "joined"]), pandas=(f.decision == "group").groupby(f.policy, observed=True).sum().items(),
      polars=tuples(lazy("launches").filter(pl.col("decision") != "inline").group_by("policy").agg((pl.col("decision") == "group").sum())),
      pyarrow=arrow_sum(a, ["policy"], "joined", "sum"))

# A difference of counts is one in every engine.
want = sorted(duckdb.sql(f"SELECT policy, launches_made - launches_requested FROM read_parquet('{OUT}/runs/**/*.parquet', hive_partitioning=true)").fetchall(), key=str)
f, a = frame("runs"), data("runs")
check("difference", want, pandas=zip(f.policy, f.launches_made - f.launches_requested),
      polars=tuples(lazy("runs").select("policy", pl.col("launches_made") - pl.col("launches_requested"))),
      pyarrow=zip(a["policy"].to_pylist(), pc.subtract(a["launches_made"], a["launches_requested"]).to_pylist()))

sys.stdout.flush()
os._exit(0)
