"""The examples do what they say, against the demo shop."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import DEADLINE, SIGTERM, Case, closed_port, simulator, temporary_folder, vstream, wait_until  # noqa: E402

ALERT, MATERIALISE = os.environ["ALERT"], os.environ["MATERIALISE"]
COLUMNS = ("order_id", "customer_id", "quantity", "total", "status", "shipped_at")


def start(program, *arguments):
    return subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def rows_of(path):
    with sqlite3.connect(path) as db:
        return {row[0]: row for row in db.execute("select %s from orders" % ", ".join(COLUMNS))}


def rows_streamed(address):
    """The table now, as vstream itself copies it."""
    copied = vstream("tail", "customer.orders", "-a", address, "--from", "copy", "--until", "copy-completed")
    table = {}
    for line in copied.stdout.splitlines():
        change = json.loads(line)
        if change["type"] != "row":
            continue
        row = change.get("after") or change["before"]
        if change["op"] == "d":
            table.pop(row["order_id"], None)
        else:
            table[row["order_id"]] = tuple(row[column] for column in COLUMNS)
    return table


class Materialise(Case):
    def setUp(self):
        folder = temporary_folder()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "orders.db")

    def test_a_copy_equals_the_source(self):
        with simulator("--rows-per-second", "0") as address:
            self.assert_ends(start(MATERIALISE, address, self.path, "--until-copied"), 0)
            rows = rows_of(self.path)
            self.assertTrue(rows)
            self.assertEqual(rows, rows_streamed(address))

    def test_started_again_it_goes_on_from_the_file(self):
        with simulator("--rows-per-second", "100") as address:
            self.assert_ends(start(MATERIALISE, address, self.path, "--until-copied"), 0)
            before = len(rows_of(self.path))
            process = start(MATERIALISE, address, self.path)
            wait_until(lambda: len(rows_of(self.path)) > before)
            process.send_signal(SIGTERM)
            _, err = self.assert_ends(process, 0)
            self.assertNotIn("copying", err)

    def test_a_copy_that_was_broken_off_goes_on(self):
        with simulator("--rows-per-second", "0") as address:
            process = start(MATERIALISE, address, self.path, "--until-copied")
            wait_until(lambda: os.path.exists(self.path) and self.has_checkpoint())
            process.kill()
            process.communicate()
            with sqlite3.connect(self.path) as db:
                (record,) = db.execute("select record from checkpoint").fetchone()
            _, err = self.assert_ends(start(MATERIALISE, address, self.path, "--until-copied"), 0)
            self.assertEqual("copy_tables" in record, "from the middle of a copy" in err, record)
            self.assertEqual(rows_of(self.path), rows_streamed(address))

    def has_checkpoint(self):
        with sqlite3.connect(self.path) as db:
            made = db.execute("select 1 from sqlite_master where name = 'checkpoint'").fetchone()
            return made and db.execute("select 1 from checkpoint").fetchone()

    def test_a_vtgate_that_is_not_there_is_an_error(self):
        process = start(MATERIALISE, closed_port(), self.path)
        _, err = self.assert_ends(process, 1)
        self.assertIn("materialise: ", err)


class Alert(Case):
    def test_a_cancelled_order_is_told(self):
        with simulator("--rows-per-second", "200") as address:
            process = start(ALERT, address)
            line = process.stdout.readline().decode()
            process.send_signal(SIGTERM)
            self.assert_ends(process, 0)
            self.assertRegex(line, r"^order \d+ was cancelled: \d+\.\d\d on shard (-80|80-)\n$")


if __name__ == "__main__":
    unittest.main()
