"""Which tables, columns and rows are asked for and printed; the forms that only a real server evaluates are tested there."""
import json
import os
import pty
import unittest

import harness

SHOP = {"shop": {"shards": ["0"], "tables": {"product": ["id bigint primary key", "name varchar(40)"]}}}


class Demo(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.context = harness.simulator("--rows-per-second", "200")
        cls.address = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def rows(self, *arguments):
        result = harness.vstream("tail", *arguments, "-a", self.address, "--emit", "row")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def copied(self, *arguments):
        return {row["table"] for row in self.rows(*arguments, "--from", "copy", "--until", "copy-completed")}

    def test_o11_an_expression_matches_whole_names(self):
        self.assertEqual(self.copied("customer./ord.*/"), {"orders"})
        self.assertEqual(self.copied("customer./.*/"), {"customer", "orders"})
        self.assertEqual({row["table"] for row in self.rows("customer./ord.*/", "-c", "5")}, {"orders"})

    def test_an_exclusion_wins(self):
        self.assertEqual(self.copied("customer", "--exclude", "customer./cust.*/"), {"orders"})
        self.assertEqual(self.copied("customer", "customer.orders", "--exclude", "customer.orders"), {"customer"})
        shards = {(row["table"], row["shard"]) for row in self.rows("customer", "--exclude", "customer/-80", "-c", "20")}
        self.assertEqual({shard for _, shard in shards}, {"80-"})

    def test_an_exclusion_that_matches_nothing_is_told(self):
        result = harness.vstream("tail", "customer", "--exclude", "customer.order", "-c", "1", "-a", self.address)
        self.assertEqual(result.returncode, 0)
        self.assertIn('warning: --exclude "customer.order" matches no table now; did you mean "orders"?', result.stderr)

    def test_ops_are_chosen(self):
        self.assertEqual({row["op"] for row in self.rows("customer", "--ops", "u", "-c", "10")}, {"u"})
        rows = self.rows("customer", "--ops", "c,u,d", "--from", "copy", "-c", "10")
        self.assertNotIn("r", {row["op"] for row in rows})

    def test_the_filter_is_shown_to_who_asks(self):
        for arguments, filter in ((("customer./o.*/",), "/^(?:o.*)$/"), (("customer",), "/.*/"),
                                  (("customer.orders",), "select * from `orders`")):
            result = harness.vstream("tail", *arguments, "-c", "1", "-v", "-a", self.address)
            self.assertIn("vstream: filter: %s\n" % filter, result.stderr)
            quiet = harness.vstream("tail", *arguments, "-c", "1", "-a", self.address)
            self.assertNotIn("filter", quiet.stderr)

    def test_minimize_skew_is_warned_about(self):
        result = harness.vstream("tail", "customer", "-c", "1", "--vstream-flag", "minimize_skew=true", "-a", self.address)
        self.assertEqual(result.returncode, 0)
        self.assertIn("warning: minimize_skew", result.stderr)

    def test_no_tablet_in_the_only_cell_is_told_at_once(self):
        result = harness.vstream("tail", "customer", "-c", "1", "--cells", "zone1", "--cell-preference", "onlyspecified",
                                 "--tablet-type", "rdonly", "-a", self.address)
        self.assert_fails(result, 69, 'has no RDONLY tablet in cell "zone1"', "REPLICA in zone1")


class Script(harness.Case):
    """What a scenario says is asked for."""

    def play(self, call, *arguments, code=0, table="product", **options):
        keyspaces = {"shop": {"shards": ["0"], "tables": {table: SHOP["shop"]["tables"]["product"]}}}
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "scenario.json")
            with open(path, "w") as file:
                json.dump({"keyspaces": keyspaces, "calls": [call]}, file)
            simulation = harness.start("simulate", path)
            address = simulation.stdout.readline().decode().strip()
            try:
                result = harness.vstream("tail", *arguments, "-a", address, **options)
            finally:
                simulation.terminate()
                _, said = simulation.communicate(timeout=harness.DEADLINE)
        self.assertEqual((simulation.returncode, result.returncode), (0, code), said.decode() + result.stderr)
        return result

    def test_a_query_becomes_the_select(self):
        select = "select `name`, `id` from `product` where (id > 1 and name != 'x: y')"
        call = [{"expect": {"filter": {"product": select}}}, {"position": 10},
                {"transaction": [{"insert": "product", "row": [2, "tea"]}]}]
        self.play(call, "shop.product", "--where", "shop.product: id > 1 and name != 'x: y'", "--columns",
                  "product: name, id", "-c", "1")

    def test_o13_the_words_of_the_server_that_refuses_a_filter_are_told_once(self):
        text = "stream (at source tablet) error: failed to build table replication plan for table product: " \
               "unsupported constraint: id > 1"
        result = self.play([{"position": 10}, {"error": "UNKNOWN", "text": text}], "shop.product", "--where",
                           "product: id > 1", code=69)
        self.assertEqual(result.stderr.count("unsupported constraint"), 1)
        self.assertIn("the filter was: select * from `product` where (id > 1)", result.stderr)

    def test_foreign_text_cannot_move_the_cursor_of_a_terminal(self):
        value = "a\x1b[31m\x7f\x9b31m\u20ac\xc2é"
        table = "pro\x1b]0;x\x07\x9bduct"
        rows = [{"position": 10}, {"transaction": [{"insert": table, "row": [1, value]}]}]
        for variables in ({"NO_COLOR": "1"}, {"TERM": "xterm"}):
            environment = dict(harness.ENVIRONMENT, **variables)
            printed = self.play_on_a_terminal(rows, table, environment)
            self.assertNotIn("\x7f", printed)
            self.assertNotIn("\x9b", printed)
            self.assertNotIn("\x07", printed)
            plain = printed.replace("\r\n", "\n")
            for escape in ("\x1b[34m", "\x1b[32m", "\x1b[36m", "\x1b[90m", "\x1b[0m"):
                plain = plain.replace(escape, "")
            self.assertNotIn("\x1b", plain)
            row = json.loads(plain.splitlines()[0])
            self.assertEqual((row["table"], row["after"]["name"]), (table, value))
        into_a_pipe = self.play(rows, "shop", "-c", "1", table=table)
        self.assertIn("\x9b31m", into_a_pipe.stdout)
        error = [{"position": 10}, {"error": "INTERNAL", "text": "b\x1b[2Jad\x9b\x7f\rxyz"}]
        result = self.play(error, "shop." + table, "--retry-for", "0", code=75, table=table)
        self.assertIn("b\\x1b[2Jad\\x9b\\x7f\\x0dxyz", result.stderr)
        self.assertIn("pro\\x1b]0;x\\x07\\x9bduct", result.stderr)
        self.assertFalse(set(result.stderr) & set("\x1b\x9b\x7f\x07\r"))

    def play_on_a_terminal(self, rows, table, environment):
        ours, theirs = pty.openpty()
        self.play_to(theirs, rows, table, environment)
        os.close(theirs)
        printed = b""
        try:
            while chunk := os.read(ours, 65536):
                printed += chunk
        except OSError:
            pass  # the terminal is gone with its last user
        os.close(ours)
        return printed.decode()

    def play_to(self, stdout, rows, table, environment):
        keyspaces = {"shop": {"shards": ["0"], "tables": {table: SHOP["shop"]["tables"]["product"]}}}
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "scenario.json")
            with open(path, "w") as file:
                json.dump({"keyspaces": keyspaces, "calls": [rows]}, file)
            with harness.simulator(path) as address:
                tail = harness.start("tail", "shop", "-c", "1", "-a", address, stdout=stdout, env=environment)
                self.assertEqual(tail.wait(harness.DEADLINE), 0)
                tail.stderr.close()


if __name__ == "__main__":
    unittest.main()
