"""How a stream ends at a target or when nothing comes, and how it steps over a transaction."""
import json
import unittest

import harness

SERVER = "00000000-0000-0000-0000-000000000101"
SCENARIOS = harness.TESTS / "scenarios"


def at(last):
    return f"shop/0@MySQL56/{SERVER}:1-{last}"


class Scenarios(harness.Case):
    def tail(self, scenario, *arguments):
        with harness.simulator(str(SCENARIOS / f"{scenario}.json")) as address:
            return harness.vstream("tail", "shop", "-a", address, *arguments, "--emit", "+end")

    def assert_printed(self, result, ids, reason, last):
        self.assertEqual(result.returncode, 0, result.stderr)
        *rows, end = map(json.loads, result.stdout.splitlines())
        self.assertEqual([row["after"]["id"] for row in rows], ids)
        self.assertEqual((end["reason"], end["rows"]), (reason, len(ids)))
        self.assertEqual(end["vgtid"][0]["gtid"], at(last).partition("@")[2])

    def test_l10_a_position_that_jumps_over_the_target_has_reached_it(self):
        result = self.tail("target_jumped_over", "--from", at(48), "--until", at(50))
        self.assert_printed(result, [49], "until", 50)

    def test_l10_a_position_that_contains_the_target_needs_no_event(self):
        for goal in ("-e",), ("--until", "current"):
            result = self.tail("purged_on_one_tablet", "--from", at(201), *goal)
            self.assert_printed(result, [], "at_end", 201)

    def test_l10_a_target_that_no_server_can_reach_is_no_wait_without_an_end(self):
        result = self.tail("errant_target", "--from", at(10), "-e")
        self.assert_fails(result, 76, "cannot be reached", "missing are 0e0e0e0e-0000-0000-0000-000000000001:1")

    def test_a_primary_that_may_not_be_asked_is_streamed_for_a_moment(self):
        result = self.tail("primary_not_to_be_asked", "--from", at(10), "-e")
        self.assert_printed(result, [1, 2], "at_end", 12)
        self.assertIn(f"until {at(12)}", result.stderr)

    def test_a_deadline_before_the_target_is_exit_code_1(self):
        for deadline, reason in (("--duration", "duration"), ("--idle-timeout", "idle")):
            result = self.tail("target_jumped_over", "--from", at(48), "--until", at(99), deadline, "4s")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual(json.loads(result.stdout.splitlines()[-1])["reason"], reason)
            self.assertIn(f"{deadline} passed before the goal was met", result.stderr)

    def test_an_idle_timeout_is_a_good_end(self):
        result = self.tail("target_jumped_over", "--from", at(48), "--idle-timeout", "1s")
        self.assert_printed(result, [49, 52], "idle", 52)


class Shop(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.context = harness.simulator("--rows-per-second", "200")
        cls.address = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def tail(self, *arguments):
        return harness.vstream("tail", *arguments, "-a", self.address)

    def lines(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def positions(self):
        """Where the shards of customer are now: {shard: (server, number)}."""
        last = {}
        while len(last) < 2:
            for line in self.lines(self.tail("customer", "-c", "40", "--emit", "row,commit")):
                server, number = line["gtid"].split(":")
                last[line["shard"]] = (server, int(number))
        return last

    def test_o8_a_target_is_reached_exactly_while_rows_go_on_arriving(self):
        begin = self.positions()
        start = ",".join(f"customer/{shard}@{server}:1-{number}" for shard, (server, number) in begin.items())
        # One shard is done long before the other.
        ends = dict(zip(sorted(begin), (3, 60)))
        target = ",".join(f"customer/{s}@{server}:1-{n + ends[s]}" for s, (server, n) in begin.items())
        *lines, end = self.lines(self.tail("customer", "--from", start, "--until", target, "--emit", "+commit,+end"))
        for shard, (server, number) in begin.items():
            commits = [line["gtid"] for line in lines if line["type"] == "commit" and line["shard"] == shard]
            self.assertEqual(commits, [f"{server}:{number + i}" for i in range(1, ends[shard] + 1)])
        reached = {entry["shard"]: entry["gtid"] for entry in end["vgtid"]}
        self.assertEqual(reached, {s: f"MySQL56/{server}:1-{n + ends[s]}" for s, (server, n) in begin.items()})
        self.assertEqual(end["reason"], "until")

    def test_a_copy_ends_where_the_primaries_were_at_its_start(self):
        *lines, end = self.lines(self.tail("customer", "--from", "copy", "-e", "--emit", "+end"))
        self.assertIn({"type": "copy_completed"}, lines)
        self.assertEqual((end["reason"], len(end["vgtid"])), ("at_end", 2))

    def test_exactly_one_transaction_is_stepped_over(self):
        shard, (server, number) = sorted(self.positions().items())[0]
        place = f"customer/{shard}"
        skip = ("--skip-transaction", f"{place}@{server}:{number - 2}")
        until = ("--until", f"{place}@{server}:1-{number}", "--emit", "+commit")
        first, *lines = self.lines(self.tail(place, "--from", f"{place}@{server}:1-{number - 5}", *skip, *until))
        skipped = {"type": "skipped", "keyspace": "customer", "shard": shard, "gtid": f"{server}:{number - 2}"}
        self.assertEqual(first, skipped)
        commits = [line["gtid"] for line in lines if line["type"] == "commit"]
        self.assertEqual(commits, [f"{server}:{number - i}" for i in (4, 3, 1, 0)])
        # It is in the position then: nothing is left to skip.
        again = self.tail(place, "--from", f"{place}@{server}:1-{number - 1}", *skip, *until)
        self.assertEqual([line["type"] for line in self.lines(again)][-1], "commit")
        self.assertNotIn("skipped", again.stdout)
        self.assertIn("nothing to skip", again.stderr)

    def test_what_cannot_be_skipped_is_refused(self):
        _, (server, _) = sorted(self.positions().items())[0]
        for skip, words in (
            (f"customer/-80@{server}:99999999", "never had the transaction"),
            (f"customer/-80@{server}:1-2", "is not one transaction"),
            (f"commerce/0@{server}:1", "not streamed"),
            ("customer/-80", "--skip-transaction"),
            ("tomorrow", "--skip-transaction"),
        ):
            self.assert_fails(self.tail("customer/-80", "--skip-transaction", skip), 64, words)

    def test_a_target_of_a_shard_that_does_not_exist_is_refused(self):
        target = "customer/-40@MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5"
        self.assert_fails(self.tail("customer", "--from", "copy", "--until", target), 64, '"customer/-40"', "does not exist")

    def test_what_is_no_target_is_refused(self):
        one = "1c781bb1-eccc-11f1-baee-02fc00000001:1"
        for arguments, words in (
            (("-e",), "from now until now"),
            (("--until", "current"), "from now until now"),
            (("-e", "--until", "current"), "--exit-at-end and --until exclude each other"),
            (("--until", "10m"), "no time index"),
            (("--until", f"customer/-80@{one}"), 'no position for shard "customer/80-"'),
            (("--until", f"customer/-80@{one},customer/80-@{one},other/0@{one}"), 'names shard "other/0"'),
            (("--until", f"customer/-80@{one},customer/80-@MariaDB/0-1-5"), "MariaDB"),
            (("--idle-timeout", "5"), "--idle-timeout"),
        ):
            self.assert_fails(self.tail("customer", *arguments), 64, words)


if __name__ == "__main__":
    unittest.main()
