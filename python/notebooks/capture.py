# %% [markdown]
# # A captured model
# A profiler's capture of a model (Kineto, Nsight Systems, rocprofv3): its kernels' times as recorded and as replayed, and
# what its streams and links do. Give the capture as the second argument; without one a small one is written here.
# %%
import json
import pathlib
import sys
import tempfile

import gpureplay

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
if len(sys.argv) > 2:
    capture = sys.argv[2]
else:
    capture = work / "capture.json"
    kernel = {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7}
    shape = {"device": 0, "stream": 7, "registers per thread": 32, "shared memory": 0}
    capture.write_text(json.dumps({
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "computeMajor": 8, "computeMinor": 0, "numSms": 108}],
        "traceEvents": [
            {**kernel, "name": name, "ts": 100 + 60 * i, "dur": 50, "args": {**shape, "correlation": i + 1, "grid": [108, 1, 1], "block": [256, 1, 1]}}
            for i, name in enumerate(["matmul", "softmax", "matmul"])
        ],
    }))
trace = work / "capture.trace.zst"
counts = gpureplay.convert(capture, trace)
print(counts["kernels"], "kernels")
# %%
print(gpureplay.command("top", trace))
# %%
out = gpureplay.run(trace, ["captured", "hyperq"], gpu="a100", out=work / "capture")
print(out.predicted_measured())
# %%
print(out.streams())
