# %% [markdown]
# # Narrow tasks
# Hundreds of tasks of a few warps, as kernels in hardware queues (HyperQ) and under Pagoda's MasterKernel: latency and
# use of the GPU.
# %%
import pathlib
import sys
import tempfile

import gpureplay

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
trace = work / "tasks.trace.zst"
gpureplay.sample("tasks-fb", trace, tasks=128)
out = gpureplay.run(trace, "pagoda", gpu="titanx-maxwell", out=work / "pagoda")
print(out.speedup(baseline="hyperq"))
# %%
print(out.task_latency())
# %%
print(out.occupancy().aggregate("policy, avg(occupancy_pct) AS mean_pct"))
