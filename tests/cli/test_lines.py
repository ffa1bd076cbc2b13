"""The lines of `vstream tail`: every type of them fits the published schema; --key, --as; what raw keeps."""
import base64
import itertools
import json
import re
import unittest

import jsonschema  # python3-jsonschema

import harness

SCHEMA = json.loads((harness.TESTS.parent / "docs" / "vstream-events.schema.json").read_text())
FORMS = "bigint=string,decimal=number,timestamp=raw,binary=hex,json=string,set=array"
CHANGES = ("binlog_ops", "ddl", "reshard_follow", "noblob", "partial_json")


def transcript(name):
    return (harness.TRANSCRIPTS / (name + ".jsonl")).read_text().splitlines()


def keyspace_of(name):
    return json.loads(transcript(name)[0])["events"][0]["keyspace"]


def replay(name):
    return harness.simulator("--replay", str(harness.TRANSCRIPTS / (name + ".jsonl")))


class Lines(harness.Case):
    def replayed(self, name, *options):
        """All lines of a recording: one heartbeat more than it holds tells that it is over."""
        heartbeats = sum(line.count('"HEARTBEAT"') for line in transcript(name))
        with replay(name) as address:
            tail = harness.start("tail", keyspace_of(name), "-a", address, "--partial-images", "mark", *options)
            lines = []
            while sum(line["type"] == "heartbeat" for line in lines) <= heartbeats:
                lines.append(json.loads(tail.stdout.readline()))
            tail.send_signal(harness.SIGTERM)
            rest, _ = self.assert_ends(tail, 0)
        return lines + [json.loads(line) for line in rest.splitlines()]

    def demo(self, *options):
        with harness.simulator("--rows-per-second", "100") as address:
            result = harness.vstream("tail", "customer", "-a", address, "--emit", "all", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def copy_without_a_key(self):
        process = harness.start("simulate", str(harness.TESTS / "scenarios" / "copy_without_a_key.json"))
        address = process.stdout.readline().decode().strip()
        tail = harness.start("tail", "shop", "-a", address, "--from", "copy", "--until", "copy-completed", "--key")
        first = harness.read_lines(tail, 1)
        process.send_signal(harness.signal.SIGUSR1)
        rest, _ = self.assert_ends(tail, 0)
        process.terminate()
        _, err = process.communicate(timeout=harness.DEADLINE)
        self.assertEqual(process.returncode, 0, err.decode())
        return [json.loads(line) for line in first + rest.splitlines()]

    def what_no_recording_has(self):
        """A transaction that changed nothing of interest, and text that is none in its character set."""
        lossy = {"type": "ROW", "timestamp": "7", "rowEvent": {
            "tableName": "shop.note", "keyspace": "shop", "shard": "0",
            "rowChanges": [{"after": {"lengths": ["1"], "values": base64.b64encode(b"\xff").decode()}}]}}
        with harness.temporary_folder() as folder:
            path = folder + "/other.json"
            with open(path, "w") as file:
                json.dump({"keyspaces": {"shop": {"shards": ["0"], "tables": {"note": ["body varchar(40)"]}}},
                           "calls": [[{"send": ["vgtid", "other"]},
                                      {"send": ["begin", {"fields": "note"}, lossy, "vgtid", "commit"]}]]}, file)
            with harness.simulator(path) as address:
                tail = harness.start("tail", "shop", "-a", address, "--emit", "other,row")
                lines = harness.read_lines(tail, 2)
                tail.send_signal(harness.SIGTERM)
                self.assert_ends(tail, 0)
        return [json.loads(line) for line in lines]

    def transaction_that_is_skipped(self):
        with harness.simulator(str(harness.TESTS / "scenarios" / "target_jumped_over.json")) as address:
            server = "00000000-0000-0000-0000-000000000101"
            result = harness.vstream("tail", "shop", "-a", address, "--from", f"shop/0@MySQL56/{server}:1-48",
                                     "--skip-transaction", f"shop/0@{server}:49", "--idle-timeout", "1s")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def every_line(self):
        for name, options in itertools.product(CHANGES, ([], ["--key", "--as", FORMS])):
            yield from self.replayed(name, "--emit", "all", *options)
        yield from self.demo("-c", "40", "--key")
        yield from self.demo("--from", "copy", "--until", "copy-completed")
        yield from self.copy_without_a_key()
        yield from self.what_no_recording_has()
        yield from self.transaction_that_is_skipped()

    def line_types(self):
        """As the program itself names them."""
        hint = harness.vstream("tail", "ks", "--emit", "nonsense").stderr
        names = re.search(r"it is a list of: ([a-z_, ]+), all", hint)
        self.assertIsNotNone(names, hint)
        return set(names[1].split(", "))

    def test_every_line_fits_the_schema_and_every_type_and_field_has_an_example(self):
        validator = jsonschema.Draft202012Validator(SCHEMA)
        seen = {}
        for line in self.every_line():
            kind = line.get("type")
            self.assertIn(kind, SCHEMA["$defs"], line)
            errors = jsonschema.Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]}).iter_errors(line)
            self.assertEqual([f"{e.json_path}: {e.message}" for error in errors for e in error.context or [error]], [])
            self.assertTrue(validator.is_valid(line), line)
            seen.setdefault(kind, set()).update(line)
        wanted = {ref["$ref"].removeprefix("#/$defs/") for ref in SCHEMA["oneOf"]}
        self.assertEqual(self.line_types(), wanted)
        for kind in wanted:
            with self.subTest(kind):
                self.assertEqual(set(SCHEMA["$defs"][kind]["properties"]), seen.get(kind, set()))

    def test_the_schema_refuses_what_it_does_not_know(self):
        validator = jsonschema.Draft202012Validator(SCHEMA)
        heartbeat = {"type": "heartbeat", "ts_ms": 1000}
        self.assertTrue(validator.is_valid(heartbeat))
        for wrong in ({"new": 1}, {"ts_ms": 1}, {"type": "new"}):
            self.assertFalse(validator.is_valid({**heartbeat, **wrong}))
        row = {"type": "row", "op": "d", "keyspace": "k", "shard": "0", "table": "t", "ts_ms": 0, "n": 0, "before": {}}
        self.assertTrue(validator.is_valid(row))
        for wrong in ({"after": {}}, {"op": "u"}, {"op": "r"}, {"key": 1}, {"base64": []}, {"ts": 1}):
            self.assertFalse(validator.is_valid({**row, **wrong}), wrong)

    def test_d13_o4_as_prints_other_forms_of_the_same_values(self):
        def rows(*options):
            return [line for line in self.replayed("binlog_ops", "--emit", "row,heartbeat", *options)
                    if line["type"] == "row" and line["table"] == "alltypes"]

        def checked(form, usual, other):
            self.assertIsInstance(other, list if form == "set=array" else float if form == "decimal=number" else str)
            return {
                "bigint=string": lambda: other == str(usual),
                "decimal=number": lambda: other == float(usual),
                "timestamp=raw": lambda: other == usual.replace("T", " ").rstrip("Z"),
                "binary=hex": lambda: bytes.fromhex(other) == base64.b64decode(usual),
                "json=string": lambda: json.loads(other) == usual,
                "set=array": lambda: ",".join(other) == usual,
            }[form]()

        columns = {"bigint=string": "biu", "decimal=number": "de", "timestamp=raw": "ts3", "binary=hex": "bl",
                   "json=string": "js", "set=array": "se"}
        usual = rows()
        for form, column in columns.items():
            changed = 0
            for line, other in zip(usual, rows("--as", form), strict=True):
                for image in ("before", "after"):
                    if line.get(image) is None or line[image].get(column) is None:
                        continue
                    self.assertTrue(checked(form, line[image][column], other[image][column]), (form, line, other))
                    changed += 1
            self.assertGreater(changed, 0, form)

    def test_d13_a_number_that_jq_would_round_is_warned_about_once_and_not_as_a_string(self):
        with replay("binlog_ops") as address:
            usual = harness.vstream("tail", "commerce", "-a", address, "-c", "9")
            as_string = harness.vstream("tail", "commerce", "-a", address, "-c", "9", "--as", "bigint=string")
        warning = 'column "biu" of table "commerce.alltypes" holds 18446744073709551615'
        self.assertEqual(usual.stderr.count(warning), 1, usual.stderr)
        self.assertNotIn("2^53", as_string.stderr)

    def test_key_names_the_row_in_every_line_of_a_row(self):
        for line in self.demo("-c", "40", "--key"):
            if line["type"] == "row":
                row = line.get("after") or line["before"]
                key = {"customer": "customer_id", "orders": "order_id"}[line["table"]]
                self.assertEqual(line["key"], {key: row[key]})
            else:
                self.assertNotIn("key", line)

    def test_as_that_is_not_known_and_what_raw_has_no_place_for_are_refused(self):
        self.assert_fails(harness.vstream("tail", "ks", "--as", "bigint=text"), 64, '--as does not know "bigint=text"',
                          "bigint=string, decimal=number")
        self.assert_fails(harness.vstream("tail", "ks", "--as", ""), 64, '--as does not know ""')
        for option in (["--key"], ["--as", "bigint=string"], ["--emit", "row"]):
            self.assert_fails(harness.vstream("tail", "ks", "--format", "raw", *option), 64, "--format raw", option[0])


class Refusals(harness.Case):
    """What cannot be printed ends the run with 65 after one more try, and what was finished before stands."""

    SERVER = "00000000-0000-0000-0000-000000000101"

    def refused(self, *events):
        """Two calls that send these after one good transaction; the second is asked for from behind that."""
        first = {"transaction": [{"insert": "product", "row": [1]}], "gtid": 5}
        bad = {"send": ["begin", *events, {"vgtid": 6}, "commit"], "gtid": 6}
        scenario = {
            "keyspaces": {"shop": {"shards": ["0"], "tables": {"product": ["id bigint primary key"]}}},
            "calls": [[first, bad], [{"expect": {"positions": {"shop/0": 5}}}, bad]],
            "after_last_call": "end",
        }
        with harness.temporary_folder() as folder:
            path = folder + "/scenario.json"
            with open(path, "w") as file:
                json.dump(scenario, file)
            with harness.simulator(path) as address:
                result = harness.vstream("tail", "shop", "-a", address, "--retry-for", "1m")
        self.assertEqual(result.returncode, 65, result.stderr)
        self.assertEqual([json.loads(line)["after"] for line in result.stdout.splitlines()], [{"id": 1}])
        self.assertIn("trying again", result.stderr)
        return result.stderr.splitlines()[-2]

    @staticmethod
    def event(kind, **more):
        return {"type": kind, "timestamp": "7", "eventGtid": Refusals.SERVER + ":6", **more}

    def fields(self, **field):
        fields = [{"name": "id", "type": "INT64", "columnType": "bigint", "charset": 63, **field}]
        return self.event("FIELD", fieldEvent={"tableName": "shop.product", "keyspace": "shop", "shard": "0", "fields": fields})

    def row(self, values, *lengths):
        change = {"after": {"lengths": [str(length) for length in lengths],
                            "values": base64.b64encode(values).decode()}}
        return self.event("ROW", rowEvent={"tableName": "shop.product", "keyspace": "shop", "shard": "0",
                                           "rowChanges": [change]})

    def test_d18_a_row_that_does_not_fit_its_columns(self):
        for row, what in ((self.row(b"12", 1, 1), "2 values for 1 columns"), (self.row(b"1", 2), "cut short"),
                          (self.row(b"12", 1), "left over"), (self.row(b"x", 1), "not of its type")):
            message = self.refused(self.fields(), row)
            for part in (what, '"product"', '"shop/0"', f"GTID {self.SERVER}:6"):
                self.assertIn(part, message)

    def test_t9_columns_without_names(self):
        self.assertIn('the server sent "@1" in place of a name', self.refused(self.fields(name="@1"), self.row(b"1", 1)))

    def test_o7_a_column_of_an_unknown_type(self):
        message = self.refused(self.fields(type=9999), self.row(b"1", 1))
        self.assertIn('cannot print column "id": its type 9999 is unknown', message)
        self.assertIn('table "product" on shard "shop/0"', message)

    def test_a_change_that_is_only_a_statement(self):
        self.assertIn("the binlog holds its statement only", self.refused(self.event("INSERT", dml="insert into product …")))


class Raw(harness.Case):
    """`--format raw` and `simulate --replay` are each other's inverse."""

    NAMES = ("binlog_ops", "chunked", "ddl", "noblob", "partial_json", "reshard_follow", "reshard_stop")

    def record(self, path, keyspace, count):
        """The first `count` responses of a recording as raw prints them. What else comes are heartbeats."""
        with harness.simulator("--replay", str(path)) as address:
            tail = harness.start("tail", keyspace, "-a", address, "--format", "raw")
            lines = harness.read_lines(tail, count)
            tail.send_signal(harness.SIGTERM)
            rest, _ = self.assert_ends(tail, 0)
        for line in rest.splitlines():
            self.assertEqual({event["type"] for event in json.loads(line)["events"]}, {"HEARTBEAT"})
        return lines

    def native(self, path, keyspace, count):
        with harness.simulator("--replay", str(path)) as address:
            tail = harness.start("tail", keyspace, "-a", address, "--partial-images", "mark")
            lines = harness.read_lines(tail, count)
            tail.send_signal(harness.SIGTERM)
            rest, _ = self.assert_ends(tail, 0)
        return "".join(lines) + rest

    def test_raw_of_a_replay_is_what_was_played_and_plays_the_same_again(self):
        for name in self.NAMES:
            with self.subTest(name), harness.temporary_folder() as folder:
                played, keyspace = transcript(name), keyspace_of(name)
                recorded = self.record(harness.TRANSCRIPTS / (name + ".jsonl"), keyspace, len(played))
                self.assertEqual([json.loads(line) for line in recorded], [json.loads(line) for line in played])
                path = folder + "/recorded.jsonl"
                with open(path, "w") as file:
                    file.writelines(recorded)
                self.assertEqual(self.record(path, keyspace, len(played)), recorded)
                golden = harness.GOLDEN / (name + (".mark.lines" if name in ("noblob", "partial_json") else ".lines"))
                lines = golden.read_text()
                self.assertEqual(self.native(path, keyspace, lines.count("\n")), lines)

    def test_o7_an_event_of_an_unknown_type_is_kept_by_raw_and_skipped_by_native(self):
        rows = [line for line in transcript("binlog_ops") if '"ROW"' in line]
        unknown = {"type": 99, "timestamp": "1796050000", "statement": "what it says", "keyspace": "commerce", "shard": "0"}
        with harness.temporary_folder() as folder:
            path = folder + "/unknown.jsonl"
            with open(path, "w") as file:
                for line in transcript("binlog_ops"):
                    response = json.loads(line)
                    if line in rows:
                        response["events"] = [unknown, *response["events"], unknown]
                    file.write(json.dumps(response) + "\n")
            with open(path) as file:
                played = file.read().splitlines()
            recorded = self.record(path, "commerce", len(played))
            self.assertEqual([json.loads(line) for line in recorded], [json.loads(line) for line in played])
            lines = (harness.GOLDEN / "binlog_ops.lines").read_text()
            self.assertEqual(self.native(path, "commerce", lines.count("\n")), lines)


if __name__ == "__main__":
    unittest.main()
