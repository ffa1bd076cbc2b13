"""A vstream whose lines are folded as they come, for as long as a test likes."""

import collections
import contextlib
import signal
import subprocess
import threading
import time

from check import TestFailure, expect

from .fold import Fold

PATIENCE = 240  # seconds; VTGate alone may take 30 s after a tablet's death, and 90 s to give up
SHOWN = 60  # lines of stderr in a failure


class Following:
    """Starts at once; use it as a context. What vstream says goes to a file that a failure names and shows the end of.

    What interrupts a run may also kill() vstream and start() it again: the new process goes on with the same fold.
    """

    def __init__(self, database, name, *arguments, strict, port=None):
        self.database, self.world = database, database.world
        self.fold = Fold(database.keyspace, self.world.shards(database.keyspace), strict)
        self.arguments = ["tail", *arguments, "--retry-for", "5m", "-v", "-v"]
        self.address = f"127.0.0.1:{port or self.world.cluster.grpc_port}"
        self.said_path = self.world.logs / f"{name}.stderr"
        self.said_path.write_bytes(b"")
        self.last_lines = collections.deque(maxlen=5)
        self.failure, self._changed = None, threading.Condition()
        self._may_read = threading.Event()
        self._may_read.set()
        self.start()

    def start(self):
        self.fold.a_new_process_begins()
        with open(self.said_path, "ab") as said:
            self.process = subprocess.Popen(
                self.command(),
                env=self.world.vstream.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def command(self):
        return [self.world.vstream.binary, *self.arguments, "--address", self.address]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def wait_for(self, what, condition, seconds=PATIENCE):
        """Until condition(fold) holds. Fails when vstream ends before that, or when it takes too long."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while not condition(self.fold):
                if self.failure or self.process.poll() is not None:
                    raise TestFailure(f"it ended while it was waited for {what}\n{self.seen()}")
                if time.monotonic() > deadline:
                    raise TestFailure(f"waited {seconds} s for {what}\n{self.seen()}")
                self._changed.wait(1)

    def catch_up(self, event):
        """Until everything has come that was written before this call."""
        mark = self.database.next_mark()
        self.wait_for(f"mark {mark} after {event}", lambda fold: min(fold.marks.values()) >= mark)

    @contextlib.contextmanager
    def unread(self):
        """While it is open nobody takes what vstream prints."""
        self._may_read.clear()
        try:
            yield
        finally:
            self._may_read.set()

    def expect_source(self, writers):
        """What was printed, folded, must be what the source holds."""
        source = self.database.rows()
        problems = [*self.fold.problems, *self.fold.differences(source)]
        if problems:
            shown = "\n".join(map(str, problems[:40]))
            expect(False, f"{len(problems)} problems, seed {self.world.seed}, {writers}\n{shown}\n{self.seen()}")

    def stop(self):
        """Ends it as a user would."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TestFailure(f"it did not end at SIGINT\n{self.seen()}") from None
        self._reader.join()
        expect(self.process.returncode == 0 and not self.failure, self.seen)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._may_read.set()
        self._reader.join()

    def said(self):
        return self.said_path.read_text(errors="replace")

    def seen(self):
        said = "\n".join(self.said().splitlines()[-SHOWN:])
        last = b"".join(self.last_lines).decode(errors="replace")
        return (
            f"command: {' '.join(map(str, self.process.args))}\nexit code: {self.process.poll()}\n"
            f"lines: {self.fold}\nproblem with a line: {self.failure}\nlast lines:\n{last}"
            f"stderr ({self.said_path}):\n{said}"
        )

    def _read(self):
        for line in self.process.stdout:
            self._may_read.wait()
            with self._changed:
                self.last_lines.append(line)
                if not line.endswith(b"\n"):
                    break  # a kill has cut it: its transaction comes again
                try:
                    self.fold.feed(line)
                except Exception as failure:  # told to the test's thread
                    self.failure = self.failure or f"{failure!r}: {line[:500]}"
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()


class FollowingKept(Following):
    """The same with kept_copy, which goes on from its checkpoint file when it is started again."""

    def __init__(self, database, name, tablet_type, port=None):
        self.tablet_type = tablet_type
        self.checkpoint = database.world.logs / f"{name}.checkpoint"
        self.checkpoint.unlink(missing_ok=True)
        super().__init__(database, name, strict=False, port=port)

    def command(self):
        program = self.world.program("kept_copy")
        return [program, self.address, self.database.keyspace, self.tablet_type, self.checkpoint]

    def restart(self):
        """kill -9, and the same command again."""
        self.kill()
        self.start()
