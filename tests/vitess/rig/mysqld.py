"""MySQL servers as Vitess wants them, started from one prepared data folder: initialising one takes many seconds."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import sql

# Small and quick: the data of a test must survive the death of mysqld, not that of the machine. The odd time zone
# proves that no value depends on it.
EXTRA_CNF = """
innodb_buffer_pool_size = 64M
innodb_redo_log_capacity = 32M
innodb_flush_log_at_trx_commit = 2
sync_binlog = 0
innodb_use_native_aio = 0
innodb_lock_wait_timeout = 1
performance_schema = OFF
table_open_cache = 200
default_time_zone = '+05:30'
"""

MYSQLCTL_SECONDS = 90  # it waits minutes for a server that died at once


class Failed(Exception):
    """A program of the cluster ended badly; the text holds its output."""


class Mysqlds:
    """Makes mysqld servers below one data folder (VTDATAROOT), as the user vitess."""

    def __init__(self, install, data, environment):
        self.install, self.data, self.environment = install, Path(data), environment

    def folder(self, uid):
        return self.data / f"vt_{uid:010d}"

    def start(self, uid, port):
        """A fresh server for the tablet `uid`; returns when it answers."""
        subprocess.run(["cp", "-a", "--reflink=auto", self.install.template, self.folder(uid)], check=True)
        self._mysqlctl(uid, port, "init_config")
        self.start_again(uid, port)

    def start_again(self, uid, port):
        """The server whose folder is there already."""
        self._mysqlctl(uid, port, "start")

    def kill(self, uid):
        """As if it crashed; returns when it is gone."""
        pid = int((self.folder(uid) / "mysql.pid").read_text())
        os.kill(pid, signal.SIGKILL)
        _wait_gone(pid)

    def prepare_template(self, port):
        """Initialises a server once for all, stops it and keeps its folder in the cache."""
        if self.install.template.exists():
            return
        uid = 1
        self._mysqlctl(uid, port, "init")
        folder = self.folder(uid)
        pid = int((folder / "mysql.pid").read_text())
        with sql.connect_socket(folder / "mysql.sock") as connection:
            connection.cursor().execute("shutdown")
        _wait_gone(pid)
        (folder / "data/auto.cnf").unlink()  # the server's own id: each copy makes a new one
        (folder / "my.cnf").unlink()
        for log in [*folder.glob("bin-logs/*"), *folder.glob("relay-logs/*"), folder / "error.log"]:
            log.unlink()
        new = tempfile.mkdtemp(prefix="template.", dir=self.install.folder)
        os.rmdir(new)
        subprocess.run(["cp", "-a", folder, new], check=True)
        shutil.rmtree(folder)
        try:
            os.rename(new, self.install.template)
        except OSError:  # another run was quicker
            shutil.rmtree(new)

    def _mysqlctl(self, uid, port, action):
        command = [self.install.bin / "mysqlctl", "--tablet-uid", str(uid), "--mysql-port", str(port), action]
        try:
            subprocess.run(
                command,
                env=self.environment,
                cwd=self.data,
                user="vitess",
                group="vitess",
                extra_groups=[],
                check=True,
                timeout=MYSQLCTL_SECONDS,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            error_log = self.folder(uid) / "error.log"
            tail = error_log.read_text(errors="replace")[-2000:] if error_log.exists() else ""
            raise Failed(f"{error}\n{str(error.stdout)[-3000:]}\n{tail}") from None


def _wait_gone(pid):
    while os.path.exists(f"/proc/{pid}"):
        time.sleep(0.05)
