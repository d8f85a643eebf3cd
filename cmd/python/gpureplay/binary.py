"""The command that the package carries."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Union

Path = Union[str, "os.PathLike[str]"]


class Error(RuntimeError):
    """The command's own line about a failure, with its exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def path() -> str:
    """The command: GPUREPLAY_BINARY, else the package's own, else the one on PATH."""
    named = os.environ.get("GPUREPLAY_BINARY")
    if named:
        return named
    for name in ("replay", "replay.exe"):
        own = pathlib.Path(__file__).parent / "bin" / name
        if own.is_file():
            return str(own)
    found = shutil.which("replay")
    if found is None:
        raise Error(2, "there is no command replay: install the wheel of gpureplay, or name it in GPUREPLAY_BINARY")
    return found


def command(*args: Path) -> str:
    """Runs replay with the arguments and returns the text that it prints."""
    done = subprocess.run([path(), *(os.fspath(a) for a in args)], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Error(done.returncode, lines[-1] if lines else f"replay ended with status {done.returncode}")
    return done.stdout


def rows(*args: Path) -> list[dict[str, Any]]:
    """Runs replay with --json and returns the rows that it prints; docs/rows.schema.json describes them."""
    printed: list[dict[str, Any]] = json.loads(command("--json", *args))
    return printed


def main() -> None:
    """Runs the command itself, for the script that the wheel installs."""
    sys.exit(subprocess.call([path(), *sys.argv[1:]]))
