"""Recorded streams through the real binaries, byte for byte; and what is recorded can be played again."""
import json
import unittest

import harness


def golden(name):
    return (harness.GOLDEN / (name + ".lines")).read_text().splitlines(keepends=True)


class Replay(harness.Case):
    def keyspace(self, name):
        with open(harness.TRANSCRIPTS / (name + ".jsonl")) as file:
            first = json.loads(file.readline())
        return first["events"][0]["keyspace"]

    def play(self, name, wanted, *options):
        """Reads as many lines as are wanted, then stops by SIGTERM: nothing more may come."""
        with harness.simulator("--replay", str(harness.TRANSCRIPTS / (name + ".jsonl"))) as address:
            tail = harness.start("tail", self.keyspace(name), "-a", address, *options)
            lines = harness.read_lines(tail, len(wanted))
            tail.send_signal(harness.SIGTERM)
            rest, _ = self.assert_ends(tail, 0)
            self.assertEqual(lines + rest.splitlines(keepends=True), wanted)

    def test_recorded_changes_print_their_golden_lines(self):
        for name in ("binlog_ops", "chunked", "ddl", "reshard_follow", "reshard_stop"):
            with self.subTest(name):
                self.play(name, golden(name))

    def test_partial_images_that_are_marked_print_their_golden_lines(self):
        for name in ("noblob", "partial_json"):
            with self.subTest(name):
                self.play(name, golden(name + ".mark"), "--partial-images", "mark")

    def test_a_partial_image_stops_with_65_after_what_was_whole(self):
        for name in ("noblob", "partial_json"):
            with self.subTest(name), harness.simulator(
                "--replay", str(harness.TRANSCRIPTS / (name + ".jsonl"))
            ) as address:
                result = harness.vstream("tail", "commerce", "-a", address)
                self.assertEqual(result.returncode, 65)
                self.assertEqual(result.stdout, "".join(golden(name)))
                self.assertIn("does not hold all its columns", result.stderr)
                self.assertIn("--partial-images mark", result.stderr)

    def test_what_raw_prints_is_what_a_replay_reads(self):
        with harness.temporary_folder() as folder:
            recorded = folder + "/recorded.jsonl"
            with harness.simulator("--replay", str(harness.TRANSCRIPTS / "binlog_ops.jsonl")) as address:
                first = harness.vstream("tail", "commerce", "-a", address, "-c", "9", "--format", "raw", "-o", recorded)
                self.assertEqual(first.returncode, 0, first.stderr)
                self.assertIn("ended: count, 9 rows", first.stderr)
                plain = harness.vstream("tail", "commerce", "-a", address, "-c", "9")
            with harness.simulator("--replay", recorded) as address:
                again = harness.vstream("tail", "commerce", "-a", address, "-c", "9")
            self.assertEqual((again.returncode, again.stdout), (0, plain.stdout))
            self.assertEqual(len(plain.stdout.splitlines()), 9)

    def test_a_reshard_in_the_middle_of_a_copy_is_an_error_and_never_a_half_copy(self):
        def event(kind, shard, **more):
            return dict({"type": kind, "keyspace": "ks", "shard": shard}, **more)

        def vgtid(shard, *unfinished):
            entry = {"keyspace": "ks", "shard": shard, "gtid": "MySQL56/%s:1" % harness.UUID}
            return event("VGTID", shard, vgtid={"shardGtids": [dict(entry, tablePKs=list(unfinished))]})

        field = event("FIELD", "0", fieldEvent={"tableName": "ks.t", "keyspace": "ks", "shard": "0", "fields": [
            {"name": "id", "type": "INT64", "columnType": "bigint", "charset": 63}]})
        responses = [
            [event("BEGIN", "0"), field, vgtid("0", {"tableName": "t"}), event("COMMIT", "0")],
            [event("BEGIN", "-80"), vgtid("-80"), event("COMMIT", "-80")],
        ]
        with harness.temporary_folder() as folder:
            path = folder + "/reshard.jsonl"
            with open(path, "w") as file:
                for events in responses:
                    file.write(json.dumps({"events": events}) + "\n")
            with harness.simulator("--replay", path) as address:
                result = harness.vstream("tail", "ks", "-a", address, "--from", "copy", "--until", "copy-completed")
        self.assertEqual((result.returncode, result.stdout), (75, ""), result.stderr)
        self.assertIn('shard "ks/-80" appeared', result.stderr)

    def test_a_transcript_that_does_not_parse_is_refused_with_its_line(self):
        with harness.temporary_folder() as folder:
            path = folder + "/broken.jsonl"
            with open(path, "w") as file:
                file.write('{"events":[]}\n{"events":[{"type":"NO_SUCH_TYPE"}]}\n')
            self.assert_fails(harness.vstream("simulate", "--replay", path), 66, "2", path)
        self.assert_fails(harness.vstream("simulate", "--replay", "/no/such/file"), 66, "/no/such/file")


if __name__ == "__main__":
    unittest.main()
