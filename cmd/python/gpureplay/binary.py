"""The command that the package carries."""
import json
import os
import pathlib
import shutil
import subprocess
import sys


class Error(RuntimeError):
    """What the command said in its one line, with its exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def path():
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


def command(*args, rows=False):
    """Runs replay with the arguments and returns what it prints: text, or with rows=True a list of dicts."""
    args = [str(a) for a in args]
    if rows:
        args.insert(0, "--json")
    done = subprocess.run([path(), *args], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Error(done.returncode, lines[-1] if lines else f"replay ended with status {done.returncode}")
    return json.loads(done.stdout) if rows else done.stdout


def main():
    """The command itself, for the script that the wheel installs."""
    sys.exit(subprocess.call([path(), *sys.argv[1:]]))
