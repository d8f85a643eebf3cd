"""GPU programs under other schedulers, from Python.

    import gpureplay
    out = gpureplay.run("bfs.trace.zst", "dtbl", gpu="k20c")     # with flat and cdp, which dtbl is compared with
    out.speedup(baseline="flat")                                 # a query of the tables, as a DuckDB relation
    out.table("kernels").df()                                    # any table: .df(), .arrow(), .filter(...)
    out.pandas("ctas"), out.arrow("timeline")

Everything is computed by the command `replay`, which this package carries, and by the SQL of samples/queries; nothing is here.
"""
from .binary import Error, command, path
from .results import Results, open_folder as open, queries
from .running import convert, run, sample, sweep

__version__ = "0.1.0"
__all__ = ["Error", "Results", "command", "convert", "open", "path", "queries", "run", "sample", "sweep"]
