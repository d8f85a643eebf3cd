"""Replays, sweeps, conversions: the command's own, with its arguments as Python's."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from .binary import Path, rows
from .results import Results

Paths = Union[Path, Iterable[Path]]
Names = Union[str, Iterable[str]]
Settings = Mapping[str, object]


def _paths(value: Paths) -> list[Path]:
    return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def _names(value: Names) -> str:
    return value if isinstance(value, str) else ",".join(value)


def machine(gpu: Optional[Path], set: Optional[Settings]) -> list[str]:
    """The flags of a machine: its preset or file, and settings that override it."""
    args = [] if gpu is None else [f"--gpu={os.fspath(gpu)}"]
    for key, value in (set or {}).items():
        args.append(f"--set={key}={str(value).lower() if isinstance(value, bool) else value}")
    return args


def run(trace: Paths, policies: Names = "serial", gpu: Optional[Path] = None, set: Optional[Settings] = None,
        out: Optional[Path] = None, tables: Optional[Names] = None, baseline: Optional[str] = None,
        audit: bool = False, options: Iterable[str] = ()) -> Results:
    """Replays a trace, or several, under policies, and returns the tables.

    trace     path or paths of traces
    policies  names, as --policy takes them; one is run with its paper's baselines
    gpu       preset or TOML file; None: the captured GPU
    set       settings of the machine: {"kmu.hwqs": 64}
    out       folder of the tables; None: a temporary one, which goes with the result
    tables    names of the tables; None: all
    options   more flags of the command, as text
    """
    keep = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="gpureplay-")
        out = keep.name
    args = [f"--policy={_names(policies)}", f"--output={os.fspath(out)}", *options, *machine(gpu, set)]
    if tables is not None:
        args.append(f"--tables={_names(tables)}")
    if baseline is not None:
        args.append(f"--baseline={baseline}")
    if audit:
        args.append("--audit")
    return Results(out, rows=rows(*args, *_paths(trace)), keep=keep)


def sweep(file: Path, out: Path) -> Results:
    """Runs the grid that a TOML file describes, and returns its merged tables; rows are those of the table runs."""
    return Results(out, rows=rows("sweep", f"--output={os.fspath(out)}", file))


def convert(inputs: Paths, out: Path, options: Iterable[str] = ()) -> dict[str, Any]:
    """Makes a trace of a capture, and returns its counts."""
    return rows("convert", *options, *_paths(inputs), "-o", out)[0]


def sample(name: str, out: Path, **params: object) -> dict[str, Any]:
    """Makes a trace by running a workload generator, and returns its counts."""
    return rows("sample", name, *(f"--param={k}={v}" for k, v in params.items()), "-o", out)[0]
