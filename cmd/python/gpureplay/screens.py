"""The command's other screens, each as a DuckDB relation."""
from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Iterable
from typing import Any, Optional

import duckdb
import pyarrow

from .binary import Error, Path, command, rows
from .running import Settings, machine

_TYPES = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "string": pyarrow.string(),
          "boolean": pyarrow.bool_()}


@functools.lru_cache(maxsize=None)
def _columns(table: str) -> dict[str, str]:
    """The columns of a table of --json with their types, in order, from the command's own schema."""
    for known in json.loads(command("schema", "rows"))["items"]["anyOf"]:
        if known["title"] == table:
            types = {name: known["properties"][name].get("type") for name in known["required"] if name != "table"}
            return {name: kind[0] if isinstance(kind, list) else kind for name, kind in types.items()}
    raise Error(2, f"there is no table {table} in the schema of the rows: replay schema rows lists them")


def relation(printed: list[dict[str, Any]], table: str) -> duckdb.DuckDBPyRelation:
    """The rows of one table, of those that a command printed; the columns are there without rows too."""
    kept = [row for row in printed if row["table"] == table]
    columns = {name: pyarrow.array([row[name] for row in kept], type=_TYPES.get(kind))
               for name, kind in _columns(table).items()}
    return duckdb.from_arrow(pyarrow.table(columns))


def _only(printed: list[dict[str, Any]]) -> duckdb.DuckDBPyRelation:
    return relation(printed, printed[0]["table"])


def top(path: Path, of: str = "kernels", policy: Optional[str] = None,
        options: Iterable[str] = ()) -> duckdb.DuckDBPyRelation:
    """The time of a capture, of tables or of a folder of ranks, by kernels, streams, copies, pauses, overlap or ranks.

    of      the part: kernels, streams, copies, pauses, overlap or ranks
    policy  only runs under this policy
    """
    args = list(options)
    if policy is not None:
        args.append(f"--policy={policy}")
    return relation(rows("top", *args, path), f"top_{of}")


def what_if(capture: Path, sms: Optional[int] = None, gpu: Optional[Path] = None,
            options: Iterable[str] = ()) -> duckdb.DuckDBPyRelation:
    """A capture with one change at a time: how long its program takes, and the limits of it.

    sms  another number of SMs; None: twice as many
    gpu  another preset or TOML file
    """
    args = [*options, *machine(gpu, None)]
    if sms is not None:
        args.append(f"--sms={sms}")
    return relation(rows("what-if", *args, capture), "what_if")


def compare(a: Path, *b: Path, options: Iterable[str] = ()) -> duckdb.DuckDBPyRelation:
    """Two folders of tables, two captures, or a folder and two of its policies: a row for each pair."""
    return _only(rows("compare", *options, a, *b))


def explain(trace: Path, policy: Optional[str] = None, against: Optional[str] = None, gpu: Optional[Path] = None,
            set: Optional[Settings] = None, options: Iterable[str] = ()) -> duckdb.DuckDBPyRelation:
    """The reasons for a trace's time: without each resource in turn, or with the decisions of two policies.

    against  the policy that policy is compared with, one decision at a time
    """
    args = [*options, *machine(gpu, set)]
    for flag, value in (("policy", policy), ("against", against)):
        if value is not None:
            args.append(f"--{flag}={value}")
    return _only(rows("explain", *args, trace))


def correlate(*inputs: Path, options: Iterable[str] = ()) -> duckdb.DuckDBPyRelation:
    """Predictions beside measurements: of tables, captures, repositories of measurements, boundaries or bandwidth."""
    return _only(rows("correlate", *options, *inputs))


def report(path: Path, out: Optional[Path] = None, options: Iterable[str] = ()) -> pathlib.Path:
    """Writes the page about tables or a capture, and returns its path; out None: report.html in the folder."""
    args = list(options) if out is None else [*options, f"--output={os.fspath(out)}"]
    return pathlib.Path(rows("report", *args, path)[0]["report"])
