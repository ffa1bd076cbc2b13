#!/usr/bin/python3
"""Proof that the judge of rows that miss columns can fail. Needs no cluster."""

import json
import unittest

from images.fold import Fold
from images.table import COLUMNS, TABLE

SERVER = "s"
ROW = {"i": 1, "v": "v", "t": "text", "b": "AQ==", "m": "m", "d": "d", "j": {"a": 1}, "g": None}
SOURCE = ("1", "v", "text", "01", "m", "d", '{"a": 1}', None)


def line(op, number, before=None, after=None, **notes):
    images = {name: {"id": 1, **image} for name, image in (("before", before), ("after", after)) if image is not None}
    return {"type": "row", "op": op, "table": TABLE, "gtid": f"{SERVER}:{number}", **images, **notes}


def without(*names, **changes):
    return {name: value for name, value in {**ROW, **changes}.items() if name not in names}


def problems(lines, history):
    def apply(document, difference):
        return json.dumps({**json.loads(document), "a": int(difference)})

    def source(changes):
        return {"1": tuple((dict(zip(COLUMNS, SOURCE)) | changes).values())}

    fold = Fold({number: source(changes) for number, changes in history.items()}, SERVER, apply)
    for text in lines:
        fold.feed(json.dumps(text))
    fold.finish()
    return fold.problems


class Judge(unittest.TestCase):
    def test_absent_is_unchanged(self):
        life = [line("c", 1, after=ROW), line("u", 2, without("t"), without("t", i=2), partial=["t"])]
        self.assertEqual(problems(life, {1: {}, 2: {"i": "2"}}), [])

    def test_a_null_in_the_place_of_what_is_absent_is_found(self):
        for wrong in (line("u", 2, without("t"), {**ROW, "t": None, "i": 2}, partial=["t"]),
                      line("u", 2, {**ROW, "t": None}, {**ROW, "i": 2})):
            self.assertTrue(problems([line("c", 1, after=ROW), wrong], {2: {"i": "2"}}))

    def test_what_is_absent_and_not_named_is_found_and_what_is_named_and_not_absent(self):
        for wrong in (line("u", 2, ROW, without("t")), line("u", 2, ROW, ROW, partial=["t"])):
            self.assertTrue(problems([line("c", 1, after=ROW), wrong], {}))

    def test_a_difference_is_applied_and_found_when_it_is_printed_as_the_value(self):
        right = line("u", 2, ROW, without("j"), json_diff={"j": "7"})
        self.assertEqual(problems([line("c", 1, after=ROW), right], {2: {"j": '{"a": 7}'}}), [])
        wrong = line("u", 2, ROW, {**ROW, "j": "7"})
        self.assertTrue(problems([line("c", 1, after=ROW), wrong], {2: {"j": '{"a": 7}'}}))

    def test_a_wrong_value_of_every_column_is_found(self):
        for name in COLUMNS:
            value = {"i": 9, "b": "Ag==", "j": {"a": "1"}, "g": "AQ=="}.get(name, "wrong")
            self.assertTrue(problems([line("c", 1, after={**ROW, name: value})], {1: {}}), name)

    def test_rows_too_many_and_too_few_are_found(self):
        self.assertTrue(problems([line("c", 1, after=ROW), line("d", 2, ROW)], {2: {}}))
        self.assertTrue(problems([line("d", 1, ROW)], {}))


if __name__ == "__main__":
    unittest.main()
