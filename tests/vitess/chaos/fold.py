"""Folds the lines of all TABLES of a keyspace into what a consumer would hold, and finds what no line may say."""

import collections
import json

from .tables import BY_NAME, COLUMNS, MARKS

LATER = {table: list(BY_NAME)[place + 1 :] for place, table in enumerate(BY_NAME)}  # tables are copied in this order


class Keyed:
    """The rows of a table with a key. add() and remove() return what does not fit what was held."""

    def __init__(self, key):
        self._places, self._rows = [COLUMNS.index(column) for column in key], {}

    def add(self, row):
        key = self._key(row)
        before = self._rows.get(key)
        self._rows[key] = row
        return before and f"{row} comes while {before} is held"

    def remove(self, row):
        before = self._rows.pop(self._key(row), None)
        return before != row and f"{row} changes while {before} is held"

    def clear(self):
        self._rows.clear()

    def counted(self):
        return collections.Counter(self._rows.values())

    def _key(self, row):
        return tuple(row[place] for place in self._places)


class Unkeyed:
    """The rows of a table without a key: how often there is each. Changes may come before what they change."""

    def __init__(self):
        self._rows = collections.Counter()

    def add(self, row):
        self._rows[row] += 1

    def remove(self, row):
        self._rows[row] -= 1
        return self._rows[row] < 0 and f"{row} changes while none is held"

    def clear(self):
        self._rows.clear()

    def counted(self):
        return self._rows


class Fold:
    """Feed it lines, then ask for differences().

    With `strict` every change must fit the row that is held. A copy that was interrupted may bring rows again, and
    changes of rows that have not come yet: that is not strict.
    """

    def __init__(self, keyspace, shards, strict):
        self.keyspace, self.strict = keyspace, strict
        self.held = {
            (shard, name): Keyed(table.key) if table.key else Unkeyed()
            for shard in shards
            for name, table in BY_NAME.items()
        }
        self.marks = dict.fromkeys(shards, 0)
        self.ops, self.copied, self.restarted, self.completed = (collections.Counter() for _ in range(4))
        self.problems = []
        self._changes = collections.Counter()

    def __str__(self):
        return (
            f"{dict(self.ops)}, copied {dict(self.copied)}, restarted {dict(self.restarted)}, "
            f"completed {dict(self.completed)}, marks {self.marks}"
        )

    @property
    def is_completed(self):
        return self.completed[None] > 0

    def has_copied(self, table, count):
        """So many rows of it, or all that there are."""
        return self.copied[table] >= count or self.is_completed or any(self.copied[name] for name in LATER[table])

    def a_new_process_begins(self):
        """It may repeat changes that the one before it has printed."""
        self._changes.clear()

    def feed(self, text):
        line = json.loads(text)
        kind = line["type"]
        if kind == "row":
            self._row(line)
        elif kind == "copy_restarted":
            self.restarted[line["table"]] += 1
            self.held[line["shard"], line["table"]].clear()
        elif kind == "copy_completed":
            self.completed[line.get("shard")] += 1
            self._expect(self.completed[line.get("shard")] == 1, f"came twice: {line}")
        else:
            self._expect(kind == "ddl", f"an unexpected line: {line}")

    def differences(self, source):
        """Against {(shard, table): rows}: what is missing, and what is held that does not exist."""
        for where, rows in source.items():
            wanted, held = collections.Counter(rows), self.held[where].counted()
            for row, count in (wanted - held).items():
                yield f"{where}: {row} is missing, {count} times"
            for row, count in (held - wanted).items():
                yield f"{where}: {row} does not exist, {count} times"
            for row, count in held.items():
                if count < 0:
                    yield f"{where}: {row} was taken away {-count} times too often"

    def _row(self, line):
        op, shard, table = line["op"], line["shard"], line["table"]
        self.ops[op] += 1
        if line["keyspace"] != self.keyspace or (shard, table) not in self.held:
            self.problems.append(f"a row of another table: {line}")
            return
        if op == "r":
            self.copied[table] += 1
            self._expect(not self.is_completed, f"a copied row after the end of the copy: {line}")
        else:
            self._check_identity(line)
        rows = self.held[shard, table]
        misfit = op in "ud" and rows.remove(tuple(line["before"].values()))
        if op in "rcu":
            misfit = rows.add(tuple(line["after"].values())) or misfit
        self._expect(not misfit or not self.strict, f"{shard} {table} {op} {line.get('gtid')}: {misfit}")
        if table == MARKS and "after" in line:
            self.marks[shard] = max(self.marks[shard], line["after"]["n"])

    def _check_identity(self, line):
        """The changes of a table in a transaction are numbered from 0 on, without a gap and without a repetition."""
        transaction = (line["shard"], line["gtid"], line["table"])
        expected = self._changes[transaction]
        self._expect(line["n"] >= expected, f"{transaction} {line['n']} came before")
        self._expect(line["n"] <= expected, f"{transaction} {line['n']} comes where {expected} is due")
        self._changes[transaction] = max(expected, line["n"] + 1)

    def _expect(self, condition, what):
        if not condition:
            self.problems.append(what)
