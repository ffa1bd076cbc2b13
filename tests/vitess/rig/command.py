"""Runs the real vstream binary."""

import os
import queue
import signal
import subprocess
import threading
import time

PATIENCE = 60  # seconds; only a bound for what hangs


class Result:
    """What one finished command left."""

    def __init__(self, arguments, code, stdout, stderr, seconds):
        self.arguments, self.code, self.stdout, self.stderr, self.seconds = arguments, code, stdout, stderr, seconds

    def __str__(self):
        out = self.stdout.decode(errors="replace")
        shown = out if len(out) < 3000 else f"{out[:1500]}\n… ({len(out)} characters) …\n{out[-1000:]}"
        return (
            f"command: {' '.join(self.arguments)}\nexit code: {self.code} after {self.seconds:.1f} s\n"
            f"stderr:\n{self.stderr.decode(errors='replace')[-3000:]}\nstdout:\n{shown}"
        )


class Running:
    """A vstream at work; lines() gives what it prints as it comes."""

    def __init__(self, arguments, environment, **streams):
        self.arguments, self.began = [str(a) for a in arguments], time.monotonic()
        self.process = subprocess.Popen(
            self.arguments,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **streams,
        )
        self._out, self._err, self._lines = [], [], queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_err, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def next_line(self, seconds=PATIENCE):
        """The next line, or None at the end. Raises TimeoutError."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f"no line within {seconds} s\n{self._result(None)}") from None

    def wait_for_talk(self, words, seconds=PATIENCE):
        """Until it has said this on stderr, or has ended. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while words not in b"".join(self._err) and self.process.poll() is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"it did not say {words} within {seconds} s\n{self._result(None)}")
            time.sleep(0.05)

    def wait(self, seconds=PATIENCE):
        """The result, when it ends by itself. Kills it and raises TimeoutError when it does not."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"did not end within {seconds} s\n{self._result(None)}") from None
        for reader in self._readers:
            reader.join()
        return self._result(self.process.returncode)

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Ends it as a user would."""
        self.signal(signal.SIGINT)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def _result(self, code):
        return Result(self.arguments, code, b"".join(self._out), b"".join(self._err), time.monotonic() - self.began)

    def _read_lines(self):
        for line in self.process.stdout:
            self._out.append(line)
            self._lines.put(line)
        self._lines.put(None)

    def _read_err(self):
        for line in self.process.stderr:
            self._err.append(line)


class Vstream:
    """The program under test, aimed at one VTGate, in a time zone and locale that must not matter."""

    def __init__(self, binary, address, environment):
        self.binary, self.address = os.path.abspath(binary), address
        self.environment = {**environment, "TZ": "America/St_Johns", "LC_ALL": "C", "XDG_CONFIG_HOME": "/nonexistent"}

    def start(self, *arguments, address=None):
        return Running([self.binary, *arguments, "--address", address or self.address], self.environment)

    def run(self, *arguments, address=None, seconds=PATIENCE):
        return self.start(*arguments, address=address).wait(seconds)

    def pipeline(self, arguments, *filters, seconds=PATIENCE):
        """vstream piped into shell commands, as a user types it: (result of the whole, exit code of vstream)."""
        words = " ".join([self.binary, *arguments, "--address", self.address])
        script = " | ".join([words, *filters]) + "; exit ${PIPESTATUS[0]}"
        return Running(["bash", "-c", script], self.environment, start_new_session=True).wait(seconds)
