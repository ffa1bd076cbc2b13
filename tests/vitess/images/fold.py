"""Takes over only what a row's AFTER image has: what is absent is as it was, in a new row the column's default."""

import base64
import json

from values.compare import same_json
from values.fold import Number, parse

from .table import COLUMNS, DEFAULTS, TABLE

class Fold:
    """`apply_diff` makes a JSON text of a JSON text and a difference. `problems` are what no line may be."""

    def __init__(self, history, server, apply_diff=None):
        self.history, self.server, self.apply_diff = history, server, apply_diff
        self.rows, self.problems, self.lines, self.compared = {}, [], 0, 0
        self.partial, self.diffs = 0, 0
        self._transaction = None

    def feed(self, text):
        """Takes one line of the table; a new transaction begins with a look at what the one before has made."""
        line = parse(text)
        if line["type"] != "row" or line["table"] != TABLE:
            return line
        if line["gtid"] != self._transaction:
            self.finish()
            self._transaction = line["gtid"]
        self.lines += 1
        self.partial += "partial" in line
        self.diffs += "json_diff" in line
        self._apply(line)
        return line

    def finish(self):
        """Compares with the source after the transaction whose lines have come."""
        uuid, _, number = (self._transaction or "").rpartition(":")
        expected = self.history.get(int(number)) if uuid == self.server else None
        if expected is None:
            return
        self.compared += 1
        self._expect(self.rows.keys() == expected.keys(), f"rows {sorted(self.rows.keys() ^ expected.keys())} differ")
        for key in self.rows.keys() & expected.keys():
            for column, source in zip(COLUMNS, expected[key]):
                printed = self.rows[key][column]
                self._expect(same(column, printed, source), f"{column} of row {key} is {printed!r}, not {source!r}")

    def _apply(self, line):
        before, after = line.get("before"), line.get("after")
        held = self.rows.pop(before["id"], None) if before else {}
        if held is None:
            return self._expect(False, f"row {before['id']} is not held")
        absent = {name for name in COLUMNS for image in (before, after) if image is not None and name not in image}
        told = {*line.get("partial", ()), *line.get("json_diff", ())}
        self._expect(absent == told, f"{sorted(absent)} are absent, {sorted(told)} are named")
        for name, value in (before or {}).items():
            known = held.get(name, value)
            equal = same_json(known, value) if name == "j" else known == value
            self._expect(equal, f"{name} of row {before['id']} was {value!r}, not {known!r}")
        if after is not None:
            row = {**DEFAULTS, **held, **after}
            for name, difference in line.get("json_diff", {}).items():
                row[name] = parse(self.apply_diff(json_text(held[name]), difference))
            self.rows[after.get("id", before and before["id"])] = row

    def _expect(self, condition, what):
        if not condition:
            self.problems.append(f"{self._transaction}: {what}")


def json_text(value):
    """The document that was parsed, with its numbers as they were."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{json_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(value)


def same(column, printed, source):
    """A printed value and the source's text of it."""
    if source is None or (printed is None and column != "j"):
        return printed is source
    if column == "i":
        return isinstance(printed, Number) and printed == source
    if column in "bg":
        return base64.b64decode(printed).hex().upper() == source
    if column == "j":
        return same_json(printed, parse(source))
    return printed == source
