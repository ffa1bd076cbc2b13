"""One run's folder, processes and ports, and their end.

Whatever ends a run - its own end, an exception, SIGKILL - its processes must not outlive it. Three things see to that:

* Every process of a run carries MARK=<the run's folder> in its environment, daemons of daemons included, so that
  /proc alone tells what belongs to it: no pid files, no pid that means another process by now.
* A guard (a forked child) waits on a pipe that only the run holds open. When the run is gone it kills and removes.
* A run holds a lock on its folder. Who finds a folder without a locked lock (run and guard both killed) cleans it up.
"""

import fcntl
import os
import shutil
import signal
import socket
import tempfile
import time
from pathlib import Path

MARK = "VSTREAM_TEST_RUN"
FIRST_PORT, PORTS_PER_RUN, SLOTS = 20000, 100, 120  # below the ports that kernels give to clients (32768 and up)


class Run:
    """A fresh folder under `parent`, a block of free ports and a guard. Close it, or let the process end."""

    def __init__(self, parent):
        parent = Path(parent)
        parent.mkdir(parents=True, exist_ok=True)
        with open(parent / ".lock", "w") as all_runs:  # a folder is never seen without its lock
            fcntl.flock(all_runs, fcntl.LOCK_EX)
            clean_dead_runs(parent)
            self.folder = Path(tempfile.mkdtemp(prefix="", dir=parent))
            self._lock = open(self.folder / "lock", "w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._pipe, self._guard = _start_guard(self.folder)
        self._slot, self._next_port = _claim_ports()

    def port(self):
        self._next_port += 1
        return self._next_port - 1

    def environment(self, **more):
        """The environment that every process of this run must have."""
        return dict(os.environ, **{MARK: str(self.folder)}, **{k: str(v) for k, v in more.items()})

    def close(self):
        """Kills every process of the run and removes its folder."""
        if self._pipe is None:
            return
        os.close(self._pipe)
        self._pipe = None
        os.waitpid(self._guard, 0)
        self._slot.close()
        self._lock.close()


def clean_dead_runs(parent):
    for folder in Path(parent).iterdir():
        if not folder.is_dir():
            continue
        with open(folder / "lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            _destroy(folder)


def processes_of(folder):
    """The ids of all processes of the run with this folder."""
    wanted = f"{MARK}={folder}".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/environ", "rb") as f:
                    if wanted in f.read().split(b"\0"):
                        yield int(entry)
            except OSError:  # it has ended
                pass


def _destroy(folder):
    deadline = time.monotonic() + 30
    while (left := list(processes_of(folder))) and time.monotonic() < deadline:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


def _start_guard(folder):
    guards, ours = os.pipe()
    pid = os.fork()
    if pid:
        os.close(guards)
        return ours, pid
    try:
        os.close(ours)
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):  # who waits for the run's output must not wait for the guard
            os.dup2(null, fd)
        os.read(guards, 1)
        _destroy(folder)
    finally:
        os._exit(0)


def _claim_ports():
    """A block of ports nobody uses. The name of an abstract socket is the claim: it dies with its process."""
    for slot in range(SLOTS):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        first = FIRST_PORT + slot * PORTS_PER_RUN
        try:
            claim.bind(f"\0vstream-test-ports-{first}")
            for port in range(first, first + PORTS_PER_RUN):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
            return claim, first
        except OSError:
            claim.close()
    raise RuntimeError(f"no {PORTS_PER_RUN} free ports in a row from {FIRST_PORT} on")
