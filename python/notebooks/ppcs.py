# %% [markdown]
# # Pipelines under page reference counts
# Dependent kernels that overlap with their input's transfer: serial, CRCS and PPCS, with the pages on the device, the
# share of each kernel, and where CTAs wait.
# %%
import pathlib
import sys
import tempfile

import gpureplay

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
trace = work / "vecadd.trace.zst"
gpureplay.sample("vecadd", trace)
out = gpureplay.run(trace, ["serial", "crcs", "ppcs"], gpu="gk110-ppcs", out=work / "ppcs")
print(out.speedup())
# %%
print(out.pages().filter("policy = 'ppcs'").limit(5))
# %%
print(out.kernel_shares().filter("policy = 'ppcs'").limit(5))
# %%
print(out.stalls())
