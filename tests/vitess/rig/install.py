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
    """Runs setup.sh (silent, quick when all is there), makes PyMySQL importable. Raises CannotRunHere, SystemExit."""
    with subprocess.Popen([SETUP], stderr=subprocess.PIPE, text=True) as setup:
        said = ""
        for said in setup.stderr:  # as it comes: the first time takes minutes
            sys.stderr.write(said)
    if setup.returncode == 77:
        raise CannotRunHere(said.strip().rpartition("here: ")[2])
    if setup.returncode:
        raise SystemExit(1)
    folder = subprocess.run([SETUP, "--path"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    sys.path.append(os.path.join(folder, "root/usr/lib/python3/dist-packages"))
    return Install(folder)
