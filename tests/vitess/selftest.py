#!/usr/bin/python3
"""Proof that the comparison can fail: right lines pass it, and each wrong one is found. Needs no cluster."""

import json
import unittest

from values import compare
from values.columns import BY_NAME, COLUMNS, KEY, TABLE
from values.fold import Fold, parse


def hexed(text):
    return text.encode().hex().upper()


# column: (what the source says, the right JSON, the note it needs, wrong JSONs)
EXAMPLES = {
    "u64": (("18446744073709551615",), "18446744073709551615", None,
            ["18446744073709551616", "1.8446744073709552e19", '"18446744073709551615"']),
    "zerofill": (("0000042",), "42", None, ["42.0", "43", '"42"']),
    "bit10": (("513",), "513", None, ["1", "258"]),
    "dec10_2": (("-0.10",), '"-0.10"', None, ['"-0.1"', "-0.10", '"-.10"', '"0.10"']),
    "double_": (("-0",), "-0.0", None, ["0", "0.0", '"-0"']),
    "time6": (("-00:00:00.500000",), '"-00:00:00.500000"', None, ['"00:00:00.500000"', '"-00:00:00.5"']),
    "timestamp3": (("2024-02-29 12:34:56.789",), '"2024-02-29T12:34:56.789Z"', None,
                   ['"2024-02-29 12:34:56.789"', '"2024-02-29T12:34:56.789"', '"2024-02-29T18:04:56.789Z"']),
    "text_latin1": ((hexed("é€\x81"),), '"é€\\u0081"', None,
                    ['"Ã©€\\u0081"', '"\ufffd€\\u0081"', '"é€"']),
    "text_gbk": ((hexed("a中"),), '"a中"', None, ['"a\ufffd"', '"aÖÐ"', '"a"']),
    "varbinary_": (("00FF",), '"AP8="', "base64", ['"AP8"', '"00FF"', '"AP4="', '"\\u0000\u00ff"']),
    "enum_latin1": ((hexed("café"),), '"café"', None, ['"cafÃ©"', '"plain"', "2"]),
    "json_": ((hexed('{"a": [1, -0.0, null], "b": "x"}'),), '{"b":"x","a":[1,-0.0,null]}', None,
              ['{"b":"x","a":[1,0.0,null]}', '{"b":"x","a":[true,-0.0,null]}', '{"a":[1,-0.0,null]}', '"{}"',
               '{"b":"x","a":[1,-0.0]}']),
    "vector_": (("0000803F000000BF",), "[1,-0.5]", None, ["[1]", "[1,0.5]", '"AAA="', "[-0.5,1]"]),
}


def row_line(op="c", n=0, key=1, before=None, after=None, **changed):
    """A line of TABLE: all columns null but those given as JSON texts."""
    def image(values):
        filled = {KEY: str(key), **{column.name: "null" for column in COLUMNS}, **values}
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in filled.items()) + "}"

    line = {"type": '"row"', "op": f'"{op}"', "keyspace": '"commerce"', "shard": '"0"', "table": f'"{TABLE}"'}
    if op != "r":
        line |= {"ts_ms": "1700000000000", "gtid": '"g:1"', "n": str(n)}
    if op in "ud":
        line["before"] = image(before or {})
    if op in "rcu":
        line["after"] = image(after or {})
    line |= changed
    return "{" + ",".join(f'"{name}":{value}' for name, value in line.items()) + "}"


def source(**values):
    return {"1": {column.name: values.get(column.name) for column in COLUMNS}}


def found(values, printed, **changed):
    """The differences for one row."""
    fold = Fold("commerce", TABLE)
    fold.feed(row_line(after=printed, **changed))
    return fold.problems + list(compare.differences(fold.rows, source(**values)))


class Values(unittest.TestCase):
    def test_right_values_pass(self):
        for name, (held, right, note, _) in EXAMPLES.items():
            notes = {note: f'["{name}"]'} if note else {}
            self.assertEqual(found({name: held}, {name: right}, **notes), [], name)

    def test_each_wrong_value_is_found(self):
        for name, (held, _, note, wrongs) in EXAMPLES.items():
            for wrong in [*wrongs, "null"]:
                notes = {note: f'["{name}"]'} if note else {}
                self.assertTrue(found({name: held}, {name: wrong}, **notes), f"{name}: {wrong}")

    def test_a_missing_and_a_needless_note_are_found(self):
        for name, (held, right, note, _) in EXAMPLES.items():
            if note:
                self.assertTrue(found({name: held}, {name: right}), name)
            elif BY_NAME[name].kind == "text":
                self.assertTrue(found({name: held}, {name: right}, lossy=f'["{name}"]'), name)

    def test_json_null_is_not_sql_null(self):
        held = (hexed("null"),)
        self.assertEqual(found({"json_": held}, {"json_": "null"}, json_null='["json_"]'), [])
        self.assertTrue(found({"json_": held}, {"json_": "null"}))

    def test_a_copied_float_has_six_digits_and_a_changed_one_has_all(self):
        held = ("16777200", "16777217")
        fold = Fold("commerce", TABLE)
        fold.feed(row_line(op="r", after={"float_": "16777200"}))
        self.assertEqual(list(compare.differences(fold.rows, source(float_=held))), [])
        self.assertEqual(found({"float_": held}, {"float_": "16777216"}), [])  # the FLOAT nearest to it
        self.assertTrue(found({"float_": held}, {"float_": "16777200"}))

    def test_missing_and_surplus_rows_are_found(self):
        fold = Fold("commerce", TABLE)
        self.assertTrue(list(compare.differences(fold.rows, source())))
        fold.feed(row_line())
        self.assertTrue(list(compare.differences(fold.rows, {})))


class Lines(unittest.TestCase):
    def problems(self, *lines):
        fold = Fold("commerce", TABLE)
        for line in lines:
            fold.feed(line)
        return fold.problems

    def test_a_life_of_a_row_passes(self):
        life = row_line(after={"i8": "1"}), row_line("u", 1, before={"i8": "1"}), row_line("d", 2)
        self.assertEqual(self.problems(*life), [])

    def test_changes_that_cannot_be_are_found(self):
        for lines in ([row_line("u")], [row_line("d")], [row_line(), row_line(n=1)], [row_line(n=1)],
                      [row_line(), row_line("d")],
                      [row_line(), row_line("u", 1, before={"i8": "1"})], [row_line(keyspace='"customer"')],
                      [row_line("r", after={}, gtid='"g:1"')], [row_line(ts_ms="17")], [row_line(lossy="[]")],
                      [row_line(), row_line("d", 1, shard='"1"')],
                      [row_line().replace('"after"', '"before":null,"after"')]):
            self.assertTrue(self.problems(*lines), lines)

    def test_what_is_no_json_is_refused(self):
        for text in ('{"a":1,"a":2}', '{"a":NaN}', '{"a":01}', '{"a":1'):
            self.assertRaises(ValueError, parse, text)


if __name__ == "__main__":
    unittest.main()
