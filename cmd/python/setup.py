"""Puts the built command and the queries into the wheel, whose tag is that of the platform: it holds no Python code that depends on it.

REPLAY_BINARY names the command (default ../../bin/replay), REPLAY_PLATFORM the tag (default this machine's).
"""
import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


class BuildWithCommand(build_py):
    def run(self):
        super().run()
        binary = pathlib.Path(os.environ.get("REPLAY_BINARY", HERE.parents[1] / "bin" / "replay"))
        if not binary.is_file():
            raise SystemExit(f"{binary} is not there: make build first, or name it in REPLAY_BINARY")
        to = pathlib.Path(self.build_lib) / "gpureplay"
        (to / "bin").mkdir(parents=True, exist_ok=True)
        name = "replay.exe" if binary.suffix == ".exe" else "replay"
        shutil.copy2(binary, to / "bin" / name)
        (to / "bin" / name).chmod(0o755)
        (to / "queries").mkdir(exist_ok=True)
        for query in (HERE.parents[1] / "samples" / "queries").glob("*.sql"):
            shutil.copy2(query, to / "queries")


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ.get("REPLAY_PLATFORM") or super().get_tag()[2]


setup(cmdclass={"build_py": BuildWithCommand, "bdist_wheel": PlatformWheel})
