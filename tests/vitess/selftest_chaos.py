#!/usr/bin/python3
"""Proof that the judge of interrupted streams can fail. Needs no cluster."""

import json
import unittest

from chaos.fold import Fold


def row(op, table, before=None, after=None, n=0, gtid="g:1", shard="0"):
    line = {"type": "row", "op": op, "keyspace": "k", "shard": shard, "table": table}
    if op != "r":
        line |= {"gtid": gtid, "n": n}
    for name, image in (("before", before), ("after", after)):
        if image:
            line[name] = dict(zip(("id", "sub", "v", "n"), image))
    return line


A, B, C = (1, 0, "a", 0), (1, 0, "b", 0), (2, 0, "c", None)
RESTARTED = {"type": "copy_restarted", "keyspace": "k", "shard": "0", "table": "c_no_key"}
DONE = {"type": "copy_completed"}


def found(lines, source, strict=True):
    """The problems with these lines, for a source of {table: rows}."""
    fold = Fold("k", ["0"], strict)
    for line in lines:
        fold.feed(json.dumps(line))
    return fold.problems + list(fold.differences({("0", table): rows for table, rows in source.items()}))


class Judge(unittest.TestCase):
    def test_right_lines_pass(self):
        life = [row("c", "a_big", None, A), row("u", "a_big", A, B, 1), row("c", "a_big", None, C, 2)]
        self.assertEqual(found(life, {"a_big": [B, C]}), [])
        self.assertEqual(found([*life, row("d", "a_big", C, gtid="g:2")], {"a_big": [B]}), [])
        twice = [row("c", "c_no_key", None, A), row("c", "c_no_key", None, A, 1)]
        self.assertEqual(found(twice, {"c_no_key": [A, A]}), [])

    def test_missing_surplus_and_other_rows_are_found(self):
        for table in ("a_big", "c_no_key"):
            lines = [row("c", table, None, A)]
            for source in ([], [B], [A, C]):
                self.assertTrue(found(lines, {table: source}), source)
        self.assertTrue(found([row("c", "c_no_key", None, A)], {"c_no_key": [A, A]}))

    def test_a_lost_change_is_found_though_a_later_one_hides_it(self):
        lines = [row("c", "a_big", None, A), row("u", "a_big", B, C, 1)]
        self.assertTrue(found(lines, {"a_big": [C]}))
        self.assertTrue(found([row("d", "c_no_key", A), row("c", "c_no_key", None, A, 1)], {"c_no_key": []}))

    def test_a_change_that_comes_twice_or_too_early_is_found(self):
        change = row("u", "a_big", A, A)
        self.assertTrue(found([row("r", "a_big", None, A), change, change], {"a_big": [A]}))
        self.assertTrue(found([row("r", "a_big", None, A), row("u", "a_big", A, A, 1)], {"a_big": [A]}))

    def test_an_interrupted_copy_may_repeat_rows_and_start_again(self):
        copied = [row("r", "a_big", None, A), row("r", "a_big", None, A), row("r", "c_no_key", None, A), RESTARTED]
        end = [row("r", "c_no_key", None, A), DONE]
        self.assertEqual(found(copied + end, {"a_big": [A], "c_no_key": [A]}, strict=False), [])

    def test_a_restart_that_is_not_told_and_a_phantom_are_found(self):
        twice = 2 * [row("r", "c_no_key", None, A)]
        self.assertTrue(found(twice, {"c_no_key": [A]}, strict=False))
        self.assertTrue(found([row("r", "a_big", None, A), row("r", "a_big", None, C)], {"a_big": [A]}, strict=False))

    def test_what_comes_after_the_end_of_a_copy_is_found(self):
        self.assertTrue(found([DONE, row("r", "a_big", None, A)], {"a_big": [A]}, strict=False))
        self.assertTrue(found([DONE, DONE], {}, strict=False))


if __name__ == "__main__":
    unittest.main()
