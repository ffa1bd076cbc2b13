"""Fills a table with rows of all kinds of values and changes it at random."""

import random

from rig import sql

from .columns import COLUMNS, KEY, TABLE

INTO = f"{TABLE} ({KEY}, {', '.join(f'`{column.name}`' for column in COLUMNS)})"
LARGE = 5000  # of an expression, in characters
NULLS = 0.12
SPECIALS = 0.35


class Workload:
    """Writes to TABLE over one connection. The same seed makes the same statements.

    `small`: large values are rare, so that very many statements stay bearable.
    """

    def __init__(self, connection, seed, sharded, small=False):
        self.connection, self.sharded, self.small = connection, sharded, small
        self.random = random.Random(seed)
        self.rows_made = self.statements = 0
        self._run("set sql_mode = ''")  # zero and partial dates
        self._run("set time_zone = '+00:00'")

    def fill(self, count):
        """Inserts `count` rows; the first ones hold every special value of every column, and NULL everywhere."""
        for first in range(0, count, 10):
            self._insert(min(10, count - first))

    def churn(self, transactions):
        """That many transactions of random statements; some are rolled back, whole or to a savepoint."""
        for _ in range(transactions):
            if self.random.random() < 0.3:
                self._any_statement()  # on its own: committed at once
                continue
            self._run("begin")
            for _ in range(self.random.randint(1, 5)):
                self._any_statement()
            if self.random.random() < 0.15:
                self._run("savepoint here")
                self._any_statement()
                self._run("rollback to here")
            self._run(self.random.choice(("commit", "commit", "commit", "rollback")))

    def _any_statement(self):
        kinds = [self._insert, self._insert_or_update, self._update, self._update, self._update_many, self._delete]
        if not self.sharded:  # VTGate refuses these for the column that decides the shard
            kinds += [self._replace, self._change_key]
        self.random.choice(kinds)()
        self.statements += 1

    def _insert(self, count=None):
        rows = [self._row() for _ in range(count or self.random.randint(1, 3))]
        self._run(f"insert into {INTO} values {','.join(rows)}")

    def _replace(self):
        self._run(f"replace into {INTO} values {self._row(self._some_id())}")

    def _insert_or_update(self):
        self._run(
            f"insert into {INTO} values {self._row(self._some_id())} on duplicate key update {self._assignments()}"
        )

    def _update(self):
        self._run(f"update {TABLE} set {self._assignments()} where {KEY} = {self._some_id()}")

    def _update_many(self):
        first = self._some_id()
        last = first + self.random.randint(0, 9)
        self._run(
            f"update {TABLE} set {self._assignments()} where {KEY} between {first} and {last}"
        )

    def _change_key(self):
        self.rows_made += 1
        self._run(f"update {TABLE} set {KEY} = {self.rows_made}, {self._assignments()} where {KEY} = {self._some_id()}")

    def _delete(self):
        first = self._some_id()
        self._run(f"delete from {TABLE} where {KEY} between {first} and {first + self.random.choice((0, 0, 3))}")

    def _assignments(self):
        chosen = self.random.sample(COLUMNS, self.random.choice((1, 2, 5, len(COLUMNS))))
        return ", ".join(f"`{column.name}` = {self._value(column)}" for column in chosen)

    def _row(self, key=None):
        if key is None:
            self.rows_made += 1
            key = self.rows_made
        return f"({key}, {', '.join(self._value(column, self.rows_made - 2) for column in COLUMNS)})"

    def _value(self, column, turn=None):
        if turn == -1:
            return "null"
        if turn is not None and turn < len(column.special):
            return column.special[turn]
        dice = self.random.random()
        if dice < NULLS:
            return "null"
        value = self.random.choice(column.special) if dice < NULLS + SPECIALS else column.random(self.random)
        if self.small and len(value) > LARGE and self.random.random() > 0.02:
            return self._value(column)
        return value

    def _some_id(self):
        return self.random.randint(1, self.rows_made)

    def _run(self, statement):
        sql.query(self.connection, statement)
