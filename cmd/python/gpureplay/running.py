"""Replays, sweeps, conversions: the command's own, with its arguments as Python's."""
import os
import tempfile

from .binary import command
from .results import Results


def _list(value):
    return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def run(trace, policies="serial", gpu=None, set=None, out=None, tables=None, baseline=None, audit=False, options=()):
    """Replays a trace, or several, under policies, and returns the tables.

    trace     path or paths of traces
    policies  names, as --policy takes them; one is run with what its paper compares it with
    gpu       preset or TOML file; None: what the trace was captured on
    set       settings of the machine: {"kmu.hwqs": 64}
    out       folder of the tables; None: a temporary one, which goes with the result
    tables    names of the tables; None: all
    options   more flags of the command, as text
    """
    keep = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="gpureplay-")
        out = keep.name
    args = ["--policy=" + ",".join(_list(policies)), f"--output={out}", *options]
    if gpu is not None:
        args.append(f"--gpu={gpu}")
    for key, value in (set or {}).items():
        args.append(f"--set={key}={str(value).lower() if isinstance(value, bool) else value}")
    if tables is not None:
        args.append("--tables=" + ",".join(_list(tables)))
    if baseline is not None:
        args.append(f"--baseline={baseline}")
    if audit:
        args.append("--audit")
    rows = command(*args, *_list(trace), rows=True)
    return Results(out, rows=rows, keep=keep)


def sweep(file, out):
    """Runs the grid that a TOML file describes, and returns the rows of its table runs; OUT/<table>.parquet has the rest."""
    return command("sweep", f"--output={out}", file, rows=True)


def convert(inputs, out, options=()):
    """Makes a trace of a capture, and returns its counts."""
    return command("convert", *options, *_list(inputs), "-o", out, rows=True)[0]


def sample(name, out, **params):
    """Makes a trace by running a workload generator, and returns its counts."""
    return command("sample", name, *(f"--param={k}={v}" for k, v in params.items()), "-o", out, rows=True)[0]
