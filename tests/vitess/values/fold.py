"""Folds the JSON lines of one table into the rows that its consumer would now hold."""

import json

from .columns import COLUMNS, KEY

KEY_ORDER = [
    "type",
    "op",
    "keyspace",
    "shard",
    "table",
    "ts_ms",
    "gtid",
    "n",
    "before",
    "after",
    "base64",
    "lossy",
    "json_null",
]
NAMES = [KEY, *(column.name for column in COLUMNS)]
IMAGES = {"r": ("after",), "c": ("after",), "u": ("before", "after"), "d": ("before",)}


class Number(str):
    """A JSON number as it is written: Python's own numbers would hide "-0", "01" and lost digits."""


def parse(line):
    """A line of JSON with numbers kept as text. Duplicate keys and NaN are errors."""

    def unique(pairs):
        result = dict(pairs)
        if len(result) != len(pairs):
            raise ValueError("a key comes twice")
        return result

    def refuse(name):
        raise ValueError(f"{name} is no JSON")

    return json.loads(line, parse_int=Number, parse_float=Number, parse_constant=refuse, object_pairs_hook=unique)


class Row:
    """What a consumer holds: the printed values, which notes came with them, and from which phase and shard."""

    def __init__(self, line, image):
        self.values = line[image]
        self.shard = line["shard"]
        self.copied = line["op"] == "r"
        self.notes = {name: set(line.get(name, ())) for name in ("base64", "lossy", "json_null")}


class Fold:
    """`rows` by primary key (text), `other` lines by type, `problems` found in the lines themselves."""

    def __init__(self, keyspace, table, strict=True):
        self.keyspace, self.table, self.strict = keyspace, table, strict
        self.rows, self.problems, self.other = {}, [], {}
        self.ops = {op: 0 for op in IMAGES}
        self._seen = set()

    def feed(self, text):
        """Takes one line; returns it parsed."""
        line = parse(text)
        if line["type"] != "row":
            self.other.setdefault(line["type"], []).append(line)
        else:
            self.ops[line["op"]] += 1
            self._check_frame(line)
            self._apply(line)
        return line

    def _check_frame(self, line):
        self._expect(line, list(line) == [key for key in KEY_ORDER if key in line], f"keys are {list(line)}")
        self._expect(line, (line["keyspace"], line["table"]) == (self.keyspace, self.table), "is of another table")
        for image in ("before", "after"):
            self._expect(line, (image in line) == (image in IMAGES[line["op"]]), f"'{image}' is or is not there")
            self._expect(line, list(line.get(image) or NAMES) == NAMES, f"'{image}' has other columns than the table")
        for note in ("base64", "lossy", "json_null"):
            self._expect(line, line.get(note) != [], f"an empty '{note}'")
        if line["op"] == "r":
            self._expect(line, "ts_ms" not in line and "gtid" not in line, "a copied row with a time or a GTID")
        else:
            self._expect(line, line["ts_ms"].isdigit() and line["ts_ms"].endswith("000"), "ts_ms is no whole second")
            identity = (line["shard"], line["gtid"], line["n"])
            self._expect(line, identity not in self._seen, f"{identity} came before")
            self._expect(
                line, line["n"] == "0" or (*identity[:2], Number(int(line["n"]) - 1)) in self._seen, "n leaves a gap"
            )
            self._seen.add(identity)

    def _apply(self, line):
        if line.get("before"):
            held = self.rows.pop(line["before"][KEY], None)
            self._expect(line, held or not self.strict, "changes a row that is not held")
            if held:
                self._expect(line, held.shard == line["shard"], "changes a row of another shard")
                self._check_before(line, held)
        if line.get("after"):
            key = line["after"][KEY]
            self._expect(line, key not in self.rows or not self.strict, "brings a row that is held already")
            self.rows[key] = Row(line, "after")

    def _check_before(self, line, held):
        """A before image is what the after image before it was, but for what the phases print differently."""
        for column in COLUMNS:
            if column.kind == "json" or (held.copied and column.kind in ("float", "double(m,d)")):
                continue
            self._expect(
                line, held.values[column.name] == line["before"][column.name], f"before image of {column.name} differs"
            )

    def _expect(self, line, condition, what):
        if not condition:
            key = (line.get("after") or line.get("before") or {}).get(KEY)
            self.problems.append(f"row {key}, op {line['op']}, gtid {line.get('gtid')}: {what}")
