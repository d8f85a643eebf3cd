# %% [markdown]
# # Controlled child launches
# SPAWN launches a child only where that is estimated to pay: what became of each request, and the speed-up over flat code.
# %%
import pathlib
import sys
import tempfile

import gpureplay

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
trace = work / "bfs.trace.zst"
gpureplay.sample("dp-bfs", trace, scale=9)
out = gpureplay.run(trace, "spawn", gpu="k20m-spawn", out=work / "spawn")
print(out.speedup(baseline="flat"))
# %%
print(out.launch_decisions())
# %%
print(out.metrics())
