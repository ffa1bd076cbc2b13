"""Every column type, in the copy and in the binlog: what vstream printed must be what the source holds."""

import time

from check import expect
from rig import sql
from rig.command import PATIENCE
from values import compare
from values.columns import COUNTER, KEY, TABLE
from values.fold import Fold, parse
from values.workload import Workload

ROWS, TRANSACTIONS = 150, 120
STATEMENTS = 5000  # in the long form, of each table
MARKERS = range(-12, 0)  # keys of rows that carry no values, only the number of the last mark


def copy_of_an_unsharded_table(world):
    _copy(world, "commerce")


def copy_of_two_shards(world):
    _copy(world, "customer")


def changes_of_an_unsharded_table(world):
    _changes(world, "commerce")


def changes_of_two_shards(world):
    _changes(world, "customer")


def copy_of_an_unsharded_table_that_is_written_to(world):
    _copy_and_changes(world, "commerce")


def copy_of_two_shards_that_are_written_to(world):
    _copy_and_changes(world, "customer")


def five_thousand_statements_on_an_unsharded_table(world):
    _many_changes(world, "commerce")


def five_thousand_statements_on_two_shards(world):
    _many_changes(world, "customer")


def _copy(world, keyspace):
    workload = _empty_table(world, keyspace, salt=1)
    workload.fill(ROWS)
    workload.churn(TRANSACTIONS // 4)
    _copy_now(world, keyspace)


def _copy_now(world, keyspace):
    world.cluster.wait_for_replicas()
    result = world.vstream.run("tail", f"{keyspace}.{TABLE}", "--from", "copy", "--until", "copy-completed")
    expect(result.code == 0, result)
    fold = Fold(keyspace, TABLE)
    for line in result.stdout.splitlines():
        fold.feed(line)
    done = [line.get("shard") for line in fold.other.pop("copy_completed", [])]
    expect(
        sorted(done[:-1]) == sorted(world.shards(keyspace)) and done[-1] is None,
        f"copy_completed came for {done}\n{result}",
    )
    expect(not fold.other and fold.ops["r"] == len(fold.rows), f"unexpected lines: {list(fold.other)}, {fold.ops}")
    _expect_equal(world, keyspace, fold)


def _changes(world, keyspace):
    workload = _empty_table(world, keyspace, salt=2)
    markers = Markers(world, keyspace)
    stream = world.vstream.start("tail", f"{keyspace}.{TABLE}", "--from", "current")
    fold = Fold(keyspace, TABLE)
    try:
        markers.wait_for_start(stream)
        workload.fill(ROWS)
        workload.churn(TRANSACTIONS)
        markers.read_to_here(stream, fold)
        result = stream.stop()
    finally:
        stream.kill()
    expect(result.code == 0, result)
    expect(all(fold.ops[op] for op in "cud") and not fold.ops["r"], f"the stream had {fold.ops}")
    _expect_equal(world, keyspace, fold)


def _many_changes(world, keyspace):
    workload = _empty_table(world, keyspace, salt=4, small=True)
    markers = Markers(world, keyspace)
    stream = world.vstream.start("tail", f"{keyspace}.{TABLE}", "--from", "current")
    fold = Fold(keyspace, TABLE)
    try:
        markers.wait_for_start(stream)
        workload.fill(ROWS)
        while workload.statements < STATEMENTS:
            workload.churn(50)
            markers.read_to_here(stream, fold)
        result = stream.stop()
    finally:
        stream.kill()
    expect(result.code == 0, f"exit code {result.code}\n{result.stderr}")
    _expect_equal(world, keyspace, fold)
    print(f"      {workload.statements} statements, {sum(fold.ops.values())} changes, {len(fold.rows)} rows left")
    _copy_now(world, keyspace)


def _copy_and_changes(world, keyspace):
    workload = _empty_table(world, keyspace, salt=3)
    workload.fill(ROWS)
    markers = Markers(world, keyspace)
    world.cluster.wait_for_replicas()
    stream = world.vstream.start("tail", f"{keyspace}.{TABLE}", "--from", "copy")
    fold = Fold(keyspace, TABLE)
    try:
        workload.churn(TRANSACTIONS)
        markers.read_to_here(stream, fold)
        result = stream.stop()
    finally:
        stream.kill()
    expect(result.code == 0, result)
    expect(all(fold.ops.values()), f"the stream had {fold.ops}")
    _expect_equal(world, keyspace, fold)


class Markers:
    """One row on every shard whose changes tell how far a stream has come: a shard's changes arrive in order."""

    def __init__(self, world, keyspace):
        self.world, self.keyspace, self.number = world, keyspace, 0
        world.query(keyspace, f"insert into {TABLE} ({KEY}) values {','.join(f'({key})' for key in MARKERS)}")
        self.key_of = {}
        for shard in world.shards(keyspace):
            keys = world.query(f"{keyspace}:{shard}", f"select min({KEY}) from {TABLE} where {KEY} < 0")
            self.key_of[shard] = str(keys[0][0])
        expect("None" not in self.key_of.values(), f"a shard without a marker: {self.key_of}")

    def mark(self):
        self.number += 1
        keys = ",".join(self.key_of.values())
        self.world.query(self.keyspace, f"update {TABLE} set {COUNTER} = {self.number} where {KEY} in ({keys})")

    def wait_for_start(self, stream):
        """Marks until a mark of every shard has come: a stream from now on has a start that nobody can see."""
        waiting, deadline = set(self.key_of), time.monotonic() + PATIENCE
        while waiting:
            self.mark()
            try:
                while waiting:
                    waiting.discard(self._shard_of_mark(self._next(stream, 0.3), self.number))
            except TimeoutError:
                expect(time.monotonic() < deadline, f"no change of {sorted(waiting)} has come")
        self.mark()
        self._read_to_mark(stream, None)

    def read_to_here(self, stream, fold):
        """Feeds the fold with all that was written before this call."""
        self.mark()
        self._read_to_mark(stream, fold)

    def _read_to_mark(self, stream, fold):
        waiting = set(self.key_of)
        while waiting:
            text = self._next(stream, PATIENCE)
            waiting.discard(self._shard_of_mark(text, self.number))
            if fold and not self._is_marker(parse(text)):
                fold.feed(text)

    def _next(self, stream, seconds):
        text = stream.next_line(seconds)
        expect(text is not None, lambda: f"the stream ended by itself\n{stream.wait()}")
        return text

    def _shard_of_mark(self, text, number):
        line = parse(text)
        if self._is_marker(line) and "after" in line and line["after"][COUNTER] == str(number):
            return line["shard"]
        return None

    @staticmethod
    def _is_marker(line):
        return line["type"] == "row" and int((line.get("after") or line["before"])[KEY]) < 0


def _empty_table(world, keyspace, salt, small=False):
    world.query(keyspace, f"delete from {TABLE}")
    connection = world.connect(keyspace)
    return Workload(connection, seed=world.seed * 10 + salt, sharded=keyspace == "customer", small=small)


def _expect_equal(world, keyspace, fold):
    with world.connect(keyspace) as connection:
        sql.query(connection, "set time_zone = '+00:00'")
        source = compare.source_rows(lambda statement: sql.query(connection, statement))
    source = {key: row for key, row in source.items() if int(key) > 0}
    rows = {key: row for key, row in fold.rows.items() if int(key) > 0}
    problems = [*fold.problems, *compare.differences(rows, source)]
    for shard in world.shards(keyspace):
        held = {str(row[0]) for row in world.query(f"{keyspace}:{shard}", f"select {KEY} from {TABLE}")}
        problems += [
            f"row {key} is said to be on {shard}" for key, row in rows.items() if row.shard == shard and key not in held
        ]
    shown = "\n".join(problems[:40])
    expect(source, "the source is empty: nothing was compared")
    expect(not problems, f"{len(problems)} differences in {len(source)} rows, seed {world.seed}:\n{shown}")


TESTS = [
    copy_of_an_unsharded_table,
    copy_of_two_shards,
    changes_of_an_unsharded_table,
    changes_of_two_shards,
    copy_of_an_unsharded_table_that_is_written_to,
    copy_of_two_shards_that_are_written_to,
]
LONG_TESTS = [five_thousand_statements_on_an_unsharded_table, five_thousand_statements_on_two_shards]
