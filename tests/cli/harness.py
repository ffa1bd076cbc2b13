"""Runs the real vstream binary against the embedded simulator, for the command line tests."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

VSTREAM = os.environ["VSTREAM"]
TESTS = pathlib.Path(__file__).resolve().parent.parent
TRANSCRIPTS = TESTS / "transcripts"
GOLDEN = TESTS / "golden"
DEADLINE = 60.0  # seconds after which a wait has failed; never a measure of anything

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.endswith("COLOR") and k != "CLICOLOR_FORCE"}


def vstream(*arguments, **options):
    """Runs vstream to its end; what it printed is text."""
    options.setdefault("env", ENVIRONMENT)
    return subprocess.run([VSTREAM, *arguments], capture_output=True, text=True, timeout=DEADLINE, **options)


def start(*arguments, **options):
    options.setdefault("env", ENVIRONMENT)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([VSTREAM, *arguments], **options)


@contextlib.contextmanager
def simulator(*arguments):
    """A running `vstream simulate`; gives its address."""
    process = start("simulate", *arguments, stderr=subprocess.DEVNULL)
    try:
        address = process.stdout.readline().decode().strip()
        if not address:
            raise AssertionError("the simulator did not start")
        yield address
    finally:
        process.terminate()
        process.wait(DEADLINE)
        process.stdout.close()


@contextlib.contextmanager
def fake_server(greeting=b"", answer=b""):
    """A TCP server that is no VTGate: greets, reads once, answers, and keeps the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connections.append(connection)
            with contextlib.suppress(OSError):
                connection.sendall(greeting)
                if answer:
                    connection.recv(4096)
                    connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield "127.0.0.1:%d" % listener.getsockname()[1]
    finally:
        listener.close()
        for connection in connections:
            connection.close()


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return "127.0.0.1:%d" % listener.getsockname()[1]


def read_lines(process, count):
    """The next `count` lines of its stdout; fewer when it ends before."""
    lines = []
    for _ in range(count):
        line = process.stdout.readline()
        if not line:
            break
        lines.append(line.decode())
    return lines


def wait_until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


class Case(unittest.TestCase):
    maxDiff = None

    def assert_ends(self, process, code):
        """Reads what is left, and checks the exit code. Gives stdout and stderr as text."""
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, code, err.decode())
        return out.decode(), err.decode()

    def assert_fails(self, result, code, *parts):
        """Nothing on stdout, a message of ours that holds all `parts`."""
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertTrue(result.stderr.startswith("vstream: "), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="vstream-cli-")


UUID = "1c781bb1-eccc-11f1-baee-02fc00000001"
SIGINT, SIGTERM = signal.SIGINT, signal.SIGTERM
