"""Scenarios: what the simulator plays, what it says of requests it did not expect, and that all of ours are valid."""
import json
import os
import signal
import unittest

import harness

SCENARIOS = harness.TESTS / "scenarios"
SCHEMA = harness.TESTS.parent / "docs" / "vstream-scenario.schema.json"
SERVER = "00000000-0000-0000-0000-000000000101"


class Simulation:
    """A running `vstream simulate SCENARIO`, whose end matters, too."""

    def __init__(self, path):
        self.process = harness.start("simulate", str(path))
        self.address = self.process.stdout.readline().decode().strip()

    def go(self):
        self.process.send_signal(signal.SIGUSR1)

    def stop(self):
        self.process.send_signal(harness.SIGTERM)
        _, err = self.process.communicate(timeout=harness.DEADLINE)
        return self.process.returncode, err.decode()


class Scenario(harness.Case):
    def tail(self, simulation, *arguments):
        return harness.vstream("tail", "shop", "-a", simulation.address, *arguments)

    def rows(self, result):
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_all_our_scenarios_start(self):
        for path in sorted(SCENARIOS.glob("*.json")):
            with self.subTest(path.name):
                simulation = Simulation(path)
                self.assertTrue(simulation.address.startswith("127.0.0.1:"))
                self.assertEqual(simulation.stop()[0], 0)

    def test_all_our_scenarios_fit_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        corpus = harness.TESTS / "fuzz" / "corpus" / "scenario"
        for path in sorted([*SCENARIOS.glob("*.json"), *corpus.glob("*.json")]):
            with self.subTest(path.name):
                errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(json.loads(path.read_text()))]
                self.assertEqual(errors, [])
        self.assertTrue(list(validator.iter_errors({"keyspaces": {}, "calls": []})))

    def test_a_scenario_with_faults_is_refused_with_their_places(self):
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "wrong.json")
            with open(path, "w") as file:
                file.write('{"keyspaces": {"shop": {"shards": ["0"]}}, "calls": [[{"wait": 5}, {"cut": false}]]}')
            self.assert_fails(
                harness.vstream("simulate", path), 66, path, "$.calls[0][0].wait: 5 is no duration", "$.calls[0][1].cut"
            )
        self.assert_fails(harness.vstream("simulate", "/no/such.json"), 66, "/no/such.json", "No such file")

    def test_a_scenario_and_a_replay_exclude_each_other(self):
        self.assert_fails(harness.vstream("simulate", "a.json", "--replay", "b.jsonl"), 64, "a.json", "b.jsonl")

    def test_what_is_played_is_printed(self):
        simulation = Simulation(SCENARIOS / "response_boundaries.json")
        result = self.tail(simulation, "-c", "5")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.rows(result)
        self.assertEqual([row["op"] for row in rows], ["c", "c", "c", "d", "d"])
        self.assertEqual(rows[0]["after"], {"id": 1, "name": "tea"})
        self.assertEqual([row["gtid"] for row in rows], [f"{SERVER}:11"] * 3 + [f"{SERVER}:12"] * 2)
        self.assertEqual(simulation.stop()[0], 0)

    def test_a_request_that_is_not_expected_is_told_on_both_sides(self):
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "expect.json")
            with open(path, "w") as file:
                json.dump({"keyspaces": {"shop": {"shards": ["0"]}}, "calls": [
                    [{"expect": {"positions": {"shop/0": 5}, "tablet_type": "primary"}}]]}, file)
            simulation = Simulation(path)
            result = self.tail(simulation, "--from", f"shop/0@MySQL56/{SERVER}:1-4")
            code, err = simulation.stop()
        difference = f'positions: expected shop/0 at "MySQL56/{SERVER}:1-5", got shop/0 at "MySQL56/{SERVER}:1-4"'
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn(difference, result.stderr)
        self.assertEqual(code, 1)
        self.assertIn(difference, err)
        self.assertIn("$.calls[0][0].expect", err)
        self.assertIn("tablet type: expected PRIMARY, got REPLICA", err)

    def played(self, name, *arguments, goes_after=()):
        """Tails a scenario to its end; after each of so many lines the simulator goes on. All has to be as expected."""
        simulation = Simulation(SCENARIOS / (name + ".json"))
        tail = harness.start("tail", "shop", "-a", simulation.address, *arguments)
        lines = []
        for count in goes_after:
            lines += harness.read_lines(tail, count - len(lines))
            simulation.go()
        rest, _ = self.assert_ends(tail, 0)
        code, err = simulation.stop()
        self.assertEqual(code, 0, err)
        return [json.loads(line) for line in lines + rest.splitlines()]

    def test_l4_a_position_that_is_purged_everywhere_is_lost_and_one_that_a_tablet_has_is_not(self):
        start = f"shop/0@MySQL56/{SERVER}:1-50"
        simulation = Simulation(SCENARIOS / "purged_everywhere.json")
        self.assert_fails(self.tail(simulation, "--from", start), 76, "shop/0")
        self.assertEqual(simulation.stop()[0], 0)
        self.assertEqual(len(self.played("purged_on_one_tablet", "--from", start, "-c", "1")), 1)

    def test_l5_after_an_error_a_cut_or_an_end_the_stream_goes_on_where_it_stood(self):
        rows = self.played("error_then_recovery", "-c", "4", goes_after=(1, 2, 3))
        self.assertEqual([row["op"] for row in rows], ["c", "u", "c", "d"])

    def test_c2_c4_a_copy_that_ends_early_goes_on_with_its_position_and_its_key(self):
        lines = self.played("eof_in_copy", "--from", "copy", "--until", "copy-completed", goes_after=(2,))
        self.assertEqual([line.get("op") for line in lines], ["r", "r", "d", "r", None, None])

    def test_c1_a_key_of_any_bytes_comes_back_as_it_was(self):
        lines = self.played("lastpk_fields", "--from", "copy", "--until", "copy-completed", goes_after=(1,))
        self.assertEqual([line["after"]["label"] for line in lines[:2]], ["first", "second"])

    def test_c5_what_is_copied_is_never_asked_for_again(self):
        lines = self.played("copied_once", "--from", "copy", "-c", "3")
        self.assertEqual([line["op"] for line in lines if line["type"] == "row"], ["r", "r", "d"])

    def test_a_statement_gets_the_answer_that_is_written_down(self):
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "sql.json")
            with open(path, "w") as file:
                json.dump({"keyspaces": {"shop": {"shards": ["0"]}}, "calls": [[]], "sql": [
                    {"query": "show vitess_shards", "error": "INVALID_ARGUMENT", "text": "the topology is gone"}]}, file)
            simulation = Simulation(path)
            result = self.tail(simulation)
            simulation.stop()
        self.assertEqual(result.returncode, 69)
        self.assertIn("the topology is gone", result.stderr)


if __name__ == "__main__":
    unittest.main()
