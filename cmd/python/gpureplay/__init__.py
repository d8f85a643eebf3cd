"""GPU programs under other schedulers, from Python.

    import gpureplay
    out = gpureplay.run("bfs.trace.zst", "dtbl", gpu="k20c")     # with flat and cdp, its baselines
    out.speedup(baseline="flat")                                 # a query of the tables, as a DuckDB relation
    out.kernels.df()                                             # any table: .df(), .arrow(), .filter(...)
    gpureplay.top(out), gpureplay.explain("bfs.trace.zst", "dtbl", against="cdp", gpu="k20c")

The command `replay`, which this package carries, and the SQL of samples/queries compute everything.
"""
from .binary import Error, command, path, rows
from .results import Results, open_folder as open, queries
from .running import convert, run, sample, sweep
from .screens import compare, correlate, explain, report, top, what_if

__version__ = "0.1.0"
__all__ = ["Error", "Results", "command", "compare", "convert", "correlate", "explain", "open", "path", "queries",
           "report", "rows", "run", "sample", "sweep", "top", "what_if"]
