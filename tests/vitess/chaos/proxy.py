"""A TCP proxy whose connections can be cut: what a network does to a stream."""

import contextlib
import math
import socket
import threading
import time


class Proxy:
    """Passes connections on to a port of this machine. Use it as a context; `port` is its own.

    With `rate` (bytes a second, of each connection) it is slow from the server to us, so that what breaks in the middle
    of something for us is in the middle of it for the server, too.
    """

    def __init__(self, target_port, rate=math.inf):
        self._target, self._rate, self._lock = target_port, rate, threading.Lock()
        self._sockets, self._bytes_left, self._gap, self._down_until = set(), None, 0, 0
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        self._cut(0)

    def cut_after(self, count, gap):
        """Cuts all connections once `count` more bytes came from the server; new ones fail for `gap` seconds."""
        with self._lock:
            self._bytes_left, self._gap = count, gap

    @contextlib.contextmanager
    def down(self):
        """While it is open there are no connections."""
        self._cut(math.inf)
        try:
            yield
        finally:
            self._down_until = 0

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            if time.monotonic() < self._down_until:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._sockets |= {client, server}
            threading.Thread(target=self._pass_on, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass_on, args=(server, client, True), daemon=True).start()

    def _pass_on(self, source, sink, is_counted):
        try:
            while data := source.recv(1 << 16):
                if is_counted:
                    time.sleep(len(data) / self._rate)
                    data = data[: self._allowed(len(data))]
                sink.sendall(data)
        except OSError:
            pass
        self._end({source, sink})

    def _allowed(self, count):
        """How many of these bytes still go through; cuts everything after that."""
        with self._lock:
            if self._bytes_left is None:
                return count
            if count < self._bytes_left:
                self._bytes_left -= count
                return count
            allowed, self._bytes_left = self._bytes_left, None
        self._cut(self._gap)
        self.cuts += 1
        return allowed

    def _cut(self, gap):
        self._down_until = time.monotonic() + gap
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        self._end(sockets)

    @staticmethod
    def _end(sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)  # wakes who waits for it
            except OSError:
                pass
            one.close()
