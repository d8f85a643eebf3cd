"""Draws the kinds of figures that papers on GPU scheduling show, from the output tables of replay.

    pip install -r requirements.txt
    python figures.py [OUT] [FIGURES] [BASELINE]

OUT is what replay -o wrote (default replay-out), FIGURES the folder for the pictures (default OUT/figures), BASELINE
the policy that speed-ups refer to (default serial, else flat, else hyperq).
Each figure is a cell of its own (# %%), for editors that run cells; a figure whose table is missing or has
no rows is left out.
"""
# %% Reading
import glob
import os
import sys

import duckdb
import matplotlib.pyplot as plt
import numpy as np

OUT = sys.argv[1] if len(sys.argv) > 1 else "replay-out"
FIGURES = sys.argv[2] if len(sys.argv) > 2 else os.path.join(OUT, "figures")
BASELINES = sys.argv[3:4] or ["serial", "flat", "hyperq"]


def table(name):
    """The table in SQL, or None where no replay wrote it. Trace, machine and settings are one name."""
    path = os.path.join(OUT, name, "**", "*.parquet")
    if not glob.glob(path, recursive=True):
        return None
    one = "trace || ' on ' || gpu || CASE set WHEN 'preset' THEN '' ELSE ', ' || set END AS trace"
    return f"(SELECT * EXCLUDE (trace, gpu, set), {one} FROM read_parquet('{path}', hive_partitioning=true, hive_types_autocast=false))"


def ask(query, *names):
    """The rows of a query as a data frame; {0}, {1} stand for the tables. None if one is missing or no row is left."""
    tables = [table(name) for name in names]
    if None in tables:
        return None
    frame = duckdb.sql(query.format(*tables)).df()
    return None if frame.empty else frame


def save(figure, name):
    os.makedirs(FIGURES, exist_ok=True)
    path = os.path.join(FIGURES, name + ".png")
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)
    print(path)


def panels(keys, height=2.6):
    """One panel under the other for each (trace, policy), with shared axes."""
    figure, axes = plt.subplots(len(keys), 1, figsize=(8, height * len(keys)), sharex=True, sharey=True, squeeze=False)
    for (trace, policy), axis in zip(keys, axes[:, 0]):
        axis.set_title(f"{trace}, {policy}", fontsize=9, loc="left")
    return figure, axes[:, 0]


# %% Speedup over the baseline
frame = None
for baseline in BASELINES:
    if frame is None:
        frame = ask(f"SELECT trace, r.policy AS policy, b.cycles / r.cycles AS speedup FROM {{0}} AS r JOIN {{0}} AS b USING (trace) "
                    f"WHERE b.policy = '{baseline}' AND r.complete AND b.complete ORDER BY ALL", "runs")
if frame is not None:
    bars = frame.pivot(index="trace", columns="policy", values="speedup")
    bars.loc["geometric mean"] = np.exp(np.log(bars).mean())
    axis = bars.plot.bar(figsize=(1.5 + 1.2 * len(bars), 3.5), width=0.8)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set(xlabel="", ylabel="speedup")
    axis.legend(title="", ncols=3, fontsize=8)
    save(axis.figure, "speedup")

# %% Concurrent CTAs over time
frame = ask("SELECT trace, policy, end_cycles, parent_ctas, child_ctas FROM {0} ORDER BY ALL", "timeline")
if frame is not None:
    runs = list(frame.groupby(["trace", "policy"]))
    figure, axes = panels([key for key, _ in runs])
    for axis, (_, rows) in zip(axes, runs):
        axis.stackplot(rows.end_cycles, rows.parent_ctas, rows.child_ctas, labels=["parent", "child"])
        axis.set_ylabel("resident CTAs")
    axes[0].legend(fontsize=8)
    axes[-1].set_xlabel("cycles")
    save(figure, "concurrent-ctas")

# %% Progress of the kernels
frame = ask(
    """
    WITH launched AS (
        SELECT trace, policy, kernel, function, ctas, first_cta_cycles, end_cycles
        FROM {1} WHERE ctas > 0 AND launched_by = 'host' AND first_cta_cycles IS NOT NULL
    ), points AS (
        SELECT trace, policy, unnest(kernels) AS kernel, end_cycles AS time_cycles, unnest(ctas_finished) AS finished FROM {0}
        UNION SELECT trace, policy, kernel, first_cta_cycles, 0 FROM launched
        UNION SELECT trace, policy, kernel, end_cycles, ctas FROM launched
    )
    SELECT trace, policy, kernel, function, time_cycles, 100.0 * finished / ctas AS finished_pct
    FROM points JOIN launched USING (trace, policy, kernel)
    WHERE time_cycles >= first_cta_cycles
    ORDER BY trace, policy, kernel, time_cycles
    """, "timeline", "kernels")
if frame is not None:
    runs = list(frame.groupby(["trace", "policy"]))
    figure, axes = panels([key for key, _ in runs])
    for axis, (_, rows) in zip(axes, runs):
        for (kernel, function), line in rows.groupby(["kernel", "function"]):
            axis.plot(line.time_cycles, line.finished_pct, label=f"{kernel} {function[:24]}")
        if rows.kernel.nunique() <= 10:
            axis.legend(fontsize=7)
        axis.set_ylabel("CTAs finished, %")
    axes[-1].set_xlabel("cycles")
    save(figure, "kernel-progress")

# %% Waiting time of child launches
frame = ask("SELECT trace, policy, waiting_cycles FROM {0} WHERE waiting_cycles IS NOT NULL ORDER BY ALL", "launches")
if frame is not None:
    figure, axis = plt.subplots(figsize=(6, 3.5))
    for (trace, policy), rows in frame.groupby(["trace", "policy"]):
        values = np.sort(rows.waiting_cycles)
        axis.step(values, 100 * np.arange(1, len(values) + 1) / len(values), where="post", label=f"{trace}, {policy}")
    axis.set(xlabel="waiting time, cycles", ylabel="launches, %", xscale="symlog")
    axis.legend(fontsize=8)
    save(figure, "waiting-time")

# %% Outcome of child launches
frame = ask("SELECT trace, policy, decision, count(*) AS launches FROM {0} GROUP BY ALL ORDER BY ALL", "launches")
if frame is not None:
    bars = frame.pivot_table(index=["trace", "policy"], columns="decision", values="launches", fill_value=0)
    axis = bars.plot.bar(stacked=True, figsize=(1.5 + len(bars), 3.5))
    axis.set(xlabel="", ylabel="child launches")
    axis.set_xticklabels([f"{trace}\n{policy}" for trace, policy in bars.index], rotation=0, fontsize=8)
    save(axis.figure, "launch-decisions")

# %% Where the cycles of CTAs go
frame = ask(
    """
    SELECT trace, policy, sum(active_cycles) AS active, sum(stalled_memory_cycles) AS memory, sum(stalled_issue_cycles) AS issue,
           sum(stalled_barrier_cycles) AS barrier, sum(stalled_launch_call_cycles) AS launch, sum(stalled_child_wait_cycles) AS child,
           sum(stalled_page_not_ready_cycles) AS "page not ready", sum(stalled_page_not_owned_cycles) AS "page not owned"
    FROM {0} GROUP BY ALL ORDER BY trace, policy
    """, "ctas")
if frame is not None:
    shares = frame.set_index(["trace", "policy"])
    shares = 100 * shares.div(shares.sum(axis=1).replace(0, np.nan), axis=0)
    axis = shares.plot.barh(stacked=True, figsize=(8, 1.2 + 0.5 * len(shares)), colormap="tab10")
    axis.set(xlabel="cycles of resident CTAs, %", ylabel="")
    axis.legend(fontsize=7, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    save(axis.figure, "stalls")

# %% Stages of the program
frame = ask("SELECT trace, policy, stage, start_cycles, end_cycles FROM {0} WHERE end_cycles IS NOT NULL ORDER BY ALL", "stages")
if frame is not None:
    order = ["prelude", "profiler", "h2d", "kernel", "d2h", "postlude"]
    runs = list(frame.groupby(["trace", "policy"]))
    figure, axes = panels([key for key, _ in runs], height=1.8)
    for axis, (_, rows) in zip(axes, runs):
        for row, stage in enumerate(order):
            spans = rows[rows.stage == stage]
            axis.broken_barh(list(zip(spans.start_cycles, spans.end_cycles - spans.start_cycles)), (row - 0.4, 0.8), color=f"C{row}")
        axis.set_yticks(range(len(order)), order, fontsize=7)
        axis.set_ylim(len(order) - 0.5, -0.5)
    axes[-1].set_xlabel("cycles")
    save(figure, "stages")

# %% Latency of narrow tasks
frame = ask("SELECT trace, policy, latency_ns FROM {0} WHERE latency_ns IS NOT NULL ORDER BY ALL", "tasks")
if frame is not None:
    figure, axis = plt.subplots(figsize=(6, 3.5))
    for (trace, policy), rows in frame.groupby(["trace", "policy"]):
        values = np.sort(rows.latency_ns) / 1e3
        axis.step(values, 100 * np.arange(1, len(values) + 1) / len(values), where="post", label=f"{trace}, {policy}")
    axis.set(xlabel="latency, µs", ylabel="tasks, %")
    axis.legend(fontsize=8)
    save(figure, "task-latency")

# %% Predicted against recorded time of the kernels
frame = ask(
    """
    SELECT trace, policy, duration_ns, recorded_duration_ns FROM {0}
    WHERE recorded_duration_ns > 0 AND duration_ns > 0 ORDER BY ALL
    """, "kernels")
if frame is not None:
    figure, axis = plt.subplots(figsize=(4.5, 4.5))
    for (trace, policy), rows in frame.groupby(["trace", "policy"]):
        axis.scatter(rows.recorded_duration_ns, rows.duration_ns, s=8, label=f"{trace}, {policy}")
    ends = [frame[["duration_ns", "recorded_duration_ns"]].min().min(), frame[["duration_ns", "recorded_duration_ns"]].max().max()]
    axis.plot(ends, ends, color="black", linewidth=0.8)
    axis.set(xlabel="recorded, ns", ylabel="predicted, ns", xscale="log", yscale="log")
    axis.legend(fontsize=8)
    save(figure, "predicted-measured")
