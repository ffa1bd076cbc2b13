"""The table, and random statements that leave columns as they are. They go to the primary's own mysqld."""

import json
import random

from rig import sql
from values.make import quote

TABLE = "partly"
END = 10**6  # the key of the row that says that nothing more comes
CREATE = f"""create table {TABLE} (id bigint primary key, i int, v varchar(20), t text, b blob,
  m mediumtext not null, d text default (concat('a', 'b')), j json, g geometry) character set utf8mb4"""
COLUMNS = ("i", "v", "t", "b", "m", "d", "j", "g")
DEFAULTS = dict.fromkeys(COLUMNS) | {"m": "", "d": "ab"}  # of a row that is made without a value for them
KEYS = 40
WHOLE, NOBLOB, PARTIAL_JSON = ("FULL", ""), ("NOBLOB", ""), ("FULL", "PARTIAL_JSON")


class Statements:
    """`history` has, for each transaction number of the server that is certain, the rows that the table had after it."""

    def __init__(self, connection, seed, changes_json):
        self.connection, self.random, self.changes_json = connection, random.Random(seed), changes_json
        self.history, self.rows = {}, {}
        self._query("set session sql_mode = ''")
        self.server = self._query("select @@server_uuid")[0][0]

    def run(self, count):
        for _ in range(count):
            kinds = [self._insert, self._insert_some, self._update, self._update, self._update, self._delete,
                     self._change_key, self._replace, self._replace_some, self._insert_or_update]
            self._note(self.random.choice([*kinds, *[self._change_json] * (8 if self.changes_json else 0)])())

    def end(self):
        self._note(f"insert into {TABLE} values ({END}, {', '.join(self._value(column) for column in COLUMNS)})")

    def _note(self, statement):
        before = self._last_transaction()
        self._query(statement)
        after = self._last_transaction()
        self.rows = read(self._query)
        if after == before + 1:
            self.history[after] = self.rows

    def _last_transaction(self):
        executed = self._query("select @@global.gtid_executed")[0][0].replace("\n", "")
        own = next(part for part in executed.split(",") if part.startswith(self.server))
        return int(own.replace("-", ":").rsplit(":", 1)[1])

    def _query(self, statement):
        return sql.query(self.connection, statement)

    def _value(self, column):
        if column != "m" and self.random.random() < 0.25:
            return "null"
        word = "".join(self.random.choices("abcé日😀'\\\" ", k=self.random.randint(0, 12)))
        return {
            "i": lambda: str(self.random.randint(-9, 9)),
            "b": lambda: f"x'{self.random.randbytes(self.random.randint(0, 9)).hex()}'",
            "j": lambda: quote(json.dumps(self._document(), ensure_ascii=False)),
            "g": lambda: f"st_geomfromtext('POINT({self.random.randint(0, 9)} 1)')",
        }.get(column, lambda: quote(word))()

    def _document(self):
        return self.random.choice([None, [], {"a": 1}, {"a": [1, 2, {"b": "x"}], "c": "long" * 40, "d": None}, "text", 7])

    def _some(self):
        return self.random.sample(COLUMNS, self.random.randint(1, 3))

    def _key(self):
        return self.random.randint(1, KEYS)

    def _set(self, columns):
        return ", ".join(f"{column} = {self._value(column)}" for column in columns)

    def _into(self, word, columns):
        values = ", ".join(self._value(column) for column in columns)
        return f"{word} into {TABLE} (id, {', '.join(columns)}) values ({self._key()}, {values})"

    def _insert(self):
        return self._into("insert ignore", COLUMNS)

    def _insert_some(self):
        return self._into("insert ignore", self._some())

    def _replace(self):
        return self._into("replace", COLUMNS)

    def _replace_some(self):
        return self._into("replace", self._some())

    def _insert_or_update(self):
        return f"{self._into('insert', self._some())} on duplicate key update {self._set(self._some())}"

    def _update(self):
        return f"update {TABLE} set {self._set(self._some())} where id between {self._key()} and {self._key()}"

    def _change_json(self):
        path = self.random.choice(("$.a", "$.c", "$.d", "$.a[1]", "$[0]"))
        change = self.random.choice((f"json_set(j, '{path}', {self.random.randint(0, 99)})", f"json_remove(j, '{path}')",
                                     f"json_replace(j, '{path}', 'short')"))
        return f"update {TABLE} set j = {change} where id between {self._key()} and {self._key()}"

    def _change_key(self):
        return f"update ignore {TABLE} set id = {self._key()} where id = {self._key()}"

    def _delete(self):
        return f"delete from {TABLE} where id = {self._key()}"


def read(query):
    """All rows as text: {id: (i, v, t, hex of b, m, d, j, hex of g)}."""
    rows = query(f"select cast(id as char), cast(i as char), v, t, hex(b), m, d, cast(j as char), hex(g) from {TABLE}")
    return {row[0]: row[1:] for row in rows}
