"""Where the cluster's programs are, installing them when they are missing."""

import os
import subprocess
import sys
from pathlib import Path

SETUP = Path(__file__).resolve().parent.parent / "setup.sh"


class CannotRunHere(Exception):
    """This machine lacks something that the tests may not install (root, Go, apt)."""


class Install:
    """Paths inside the cache folder that setup.sh fills."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bin = self.folder / "bin"
        self.mysql = self.folder / "mysql"
        self.template = self.folder / "template"
        self.runs = self.folder / "runs"


def ensure():
    """Runs setup.sh (silent and quick when all is there) and makes PyMySQL importable. Raises CannotRunHere, SystemExit."""
    done = subprocess.run([SETUP], stderr=subprocess.PIPE if not sys.stderr.isatty() else None, text=True)
    if done.stderr:
        sys.stderr.write(done.stderr)
    if done.returncode == 77:
        raise CannotRunHere((done.stderr or "").strip().rpartition("here: ")[2] or "see above")
    if done.returncode:
        raise SystemExit(1)
    folder = subprocess.run([SETUP, "--path"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    sys.path.append(os.path.join(folder, "root/usr/lib/python3/dist-packages"))
    return Install(folder)
