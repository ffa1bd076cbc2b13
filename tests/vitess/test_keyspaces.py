"""Two keyspaces in one run: copied side by side, and followed, whole transactions one after the other."""

import json
import time

from check import expect
from rig.command import PATIENCE
from world import Writing

TABLES = (("commerce", "product"), ("customer", "customer"))


def two_keyspaces_are_copied_and_followed(world):
    selectors = [".".join(table) for table in TABLES]
    stream = world.vstream.start("tail", *selectors, "--from", "copy", "--emit", "+begin,+commit")
    held, seen = {table: {} for table in TABLES}, Seen()
    try:
        with Writing(world):
            _read(stream, held, seen, lambda: all((keyspace, "u") in seen.ops for keyspace, _ in TABLES))
        source = {table: _source(world, table) for table in TABLES}
        _read(stream, held, seen, lambda: held == source)
        result = stream.stop()
    finally:
        stream.kill()
    expect(result.code == 0, result)
    done = seen.completed
    shards = [(keyspace, shard) for keyspace, _ in TABLES for shard in world.shards(keyspace)]
    expect(sorted(done[:-1]) == sorted(shards) and done[-1] == (None, None), f"copy_completed came for {done}")


class Seen:
    def __init__(self):
        self.ops, self.completed, self.open = set(), [], None


def _read(stream, held, seen, is_enough):
    deadline = time.monotonic() + PATIENCE
    while not is_enough():
        expect(time.monotonic() < deadline, f"not there after {PATIENCE} s: {seen.ops}, {held}")
        try:
            text = stream.next_line(1)
        except TimeoutError:
            continue
        expect(text is not None, lambda: f"the stream ended by itself\n{stream.wait()}")
        _take(json.loads(text), held, seen)


def _take(line, held, seen):
    place = line.get("keyspace"), line.get("shard")
    if line["type"] == "copy_completed":
        seen.completed.append(place)
    elif line["type"] == "begin":
        expect(seen.open is None, f"a transaction of {place} begins inside one of {seen.open}")
        seen.open = place
    elif line["type"] == "commit":
        expect(seen.open == place, f"{seen.open} is open: {line}")
        seen.open = None
    elif line["type"] == "row":
        expect(seen.open == place, f"{seen.open} is open: {line}")
        seen.ops.add((line["keyspace"], line["op"]))
        rows = held[line["keyspace"], line["table"]]
        rows.pop((line.get("before") or line["after"])["id"], None)
        if "after" in line:
            rows[line["after"]["id"]] = list(line["after"].values())[1]


def _source(world, table):
    keyspace, name = table
    column = "name" if name == "product" else "email"
    return {int(id_): value for id_, value in world.query(keyspace, f"select id, {column} from {name}")}


TESTS = [two_keyspaces_are_copied_and_followed]
