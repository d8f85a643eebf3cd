# %% [markdown]
# # Dynamic thread block launch
# Nested parallelism as flat loops, device kernels (CDP) and aggregated groups (DTBL): speed-up, waiting of launches, and
# how many launches join a kernel that runs.
# %%
import pathlib
import sys
import tempfile

import gpureplay

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
trace = work / "bfs.trace.zst"
counts = gpureplay.sample("dp-bfs", trace, scale=9)
print(counts["kernels"], "kernels,", counts["child_launches"], "child launches")
# %%
out = gpureplay.run(trace, "dtbl", gpu="k20c", out=work / "dtbl")
print(out.speedup(baseline="flat"))
# %%
print(out.waiting_time())
# %%
print(out.coalescing())
