"""Threads that change the rows of all written TABLES at random, whatever becomes of the cluster meanwhile.

A statement whose outcome is unknown is no harm: at the end the source itself is compared.
"""

import random
import threading
import time

from rig import sql

from .tables import LIST, STEP, WRITTEN

THREADS = 3
PAUSE = 0.01  # seconds between transactions: vstream, the cluster and we share two cores


class Writers:
    """While it is open, it writes. The same seed makes the same choices, if no statement fails."""

    def __init__(self, database, rows, seed):
        self.database, self.rows = database, rows
        self.done, self.failed, self.last_failure = 0, 0, None
        self._stop = threading.Event()
        chances = [random.Random(f"{seed}/{number}") for number in range(THREADS)]
        self._threads = [threading.Thread(target=self._write, args=(chance,)) for chance in chances]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def __str__(self):
        return f"{self.done} transactions, {self.failed} failures, the last: {self.last_failure}"

    def _write(self, chance):
        while not self._stop.is_set():
            try:
                with self.database.world.connect(self.database.keyspace) as connection:
                    while not self._stop.wait(PAUSE):
                        self._transaction(connection, chance)
                        self.done += 1
            except sql.SqlError as failure:
                self.failed, self.last_failure = self.failed + 1, failure
                self._stop.wait(PAUSE)

    def _transaction(self, connection, chance):
        if chance.random() < 0.3:
            sql.query(connection, self._statement(chance))
            return
        sql.query(connection, "begin")
        for _ in range(chance.randint(1, 4)):
            sql.query(connection, self._statement(chance))
        sql.query(connection, chance.choice(("commit", "commit", "commit", "rollback")))

    def _statement(self, chance):
        table = chance.choice(WRITTEN)
        last = self.rows[table.name] * STEP
        low = STEP * chance.randint(1, self.rows[table.name]) if chance.random() < 0.7 else chance.randint(1, last)
        rows = f"id between {low} and {low + chance.choice((0, 2, 5)) * STEP}"
        v, n = f"'{chance.random()} é'" if chance.random() < 0.9 else "null", chance.randint(0, 9)
        kind = chance.choice(("insert", "insert", "update", "update", "delete", "change key"))
        if kind == "insert":
            values = ",".join(f"({chance.randint(1, last)}, {n % 3}, {v}, {n})" for _ in range(chance.randint(1, 8)))
            return f"insert ignore into {table.quoted} ({LIST}) values {values}"
        if kind == "update":
            return f"update {table.quoted} set v = {v}, n = {n} where {rows}"
        if kind == "delete":
            return f"delete from {table.quoted} where {rows}"
        return self._change_key(table, low, last, chance)

    def _change_key(self, table, low, last, chance):
        """VTGate lets nobody change the column that decides the shard."""
        if "sub" in table.key or self.database.is_sharded:
            return f"update ignore {table.quoted} set sub = {chance.randint(0, 9)} where id = {low}"
        return f"update ignore {table.quoted} set id = {chance.randint(1, last)} where id = {low}"


def write_much(database, seconds):
    """About two megabytes of changes a second, all of one table; returns how many bytes of values were written."""
    end, bytes_written, text = time.monotonic() + seconds, 0, "x" * 190
    with database.world.connect(database.keyspace) as connection:
        first = 1_000_000
        while time.monotonic() < end:
            values = ",".join(f"({first + n}, 0, '{text}', {n})" for n in range(1000))
            sql.query(connection, f"insert into a_big ({LIST}) values {values}")
            sql.query(connection, f"delete from a_big where id >= {first}")
            bytes_written += 2 * 1000 * len(text)
            time.sleep(0.2)
    return bytes_written
