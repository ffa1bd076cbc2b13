"""Bounded memory: transactions that are larger than memory may be, disks that are full (P1, P7)."""
import base64
import contextlib
import hashlib
import json
import os
import resource
import unittest

import harness

LONG = "VSTREAM_LONG" in os.environ
# Sanitizers need memory of their own; their presets set these.
MEASURES = not {"UBSAN_OPTIONS", "TSAN_OPTIONS"} & set(os.environ)
MIB = 1 << 20
PLACE = {"keyspace": "commerce", "shard": "0"}
COLUMNS = [{"name": "id", "type": "INT64", "columnType": "bigint", "charset": 63},
           {"name": "text", "type": "VARCHAR", "columnType": "varchar(9000)", "charset": 255}]
ROW_BYTES = 60000  # of a line: its text has control characters, which JSON writes as six bytes each
VALUE = b"\x01" * (ROW_BYTES // 6)


def event(kind, gtid=None, **more):
    times = {"timestamp": "1700000000", "eventGtid": "%s:%d" % (harness.UUID, gtid)} if gtid else {}
    return {"type": kind, **PLACE, **times, **more}


def vgtid(gtid):
    return event("VGTID", vgtid={"shardGtids": [{**PLACE, "gtid": "MySQL56/%s:1-%d" % (harness.UUID, gtid)}]})


def row(gtid, identity):
    values = str(identity).encode() + VALUE
    change = {"after": {"lengths": [len(str(identity)), len(VALUE)], "values": base64.b64encode(values).decode()}}
    return event("ROW", gtid, rowEvent={"tableName": "commerce.big", **PLACE, "rowChanges": [change]})


def transaction(gtid, rows):
    """Its responses: as VTGate sends them, a few rows each."""
    fields = {"tableName": "commerce.big", **PLACE, "fields": COLUMNS}
    yield [event("BEGIN", gtid), event("FIELD", gtid, fieldEvent=fields)]
    for first in range(0, rows, 50):
        yield [row(gtid, identity) for identity in range(first, min(first + 50, rows))]
    yield [vgtid(gtid), event("COMMIT", gtid)]


def lines(gtid, rows):
    """What is printed of it, line by line."""
    for n in range(rows):
        yield (b'{"type":"row","op":"c","keyspace":"commerce","shard":"0","table":"big","ts_ms":1700000000000,'
               b'"gtid":"%s:%d","n":%d,"after":{"id":%d,"text":"%s"}}\n'
               % (harness.UUID.encode(), gtid, n, n, b"\\u0001" * len(VALUE)))


@contextlib.contextmanager
def recorded(*responses):
    """A simulator that plays them; gives its address."""
    with harness.temporary_folder() as folder:
        path = folder + "/transcript.jsonl"
        with open(path, "w") as file:
            for events in ([vgtid(1), event("OTHER")], *responses):
                file.write(json.dumps({"events": events}) + "\n")
        with harness.simulator("--replay", path) as address:
            yield address


def peak_memory(pid):
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def limit_file_size(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Stillness:
    """True when a process has used no processor time for a while: whatever was sent to it has come, or cannot."""

    def __init__(self, pid):
        self.pid, self.used, self.seen = pid, None, 0

    def __call__(self):
        with open("/proc/%d/stat" % self.pid) as stat:
            used = stat.read().rpartition(")")[2].split()[11:13]
        self.seen = self.seen + 1 if used == self.used else 0
        self.used = used
        return self.seen >= 50


class Memory(harness.Case):
    # The simulator holds a sixth of it: control characters are longer in JSON.
    SIZE = 2048 * MIB if LONG else 256 * MIB

    def test_p1_a_transaction_larger_than_memory_passes_byte_for_byte(self):
        rows = self.SIZE // ROW_BYTES
        wanted, read = hashlib.sha256(), hashlib.sha256()
        size = 0
        for line in lines(2, rows):
            wanted.update(line)
            size += len(line)
        with recorded(*transaction(2, rows)) as address:
            tail = harness.start("tail", "commerce", "-a", address)
            while size > 0:
                piece = tail.stdout.read1(min(size, MIB))
                self.assertTrue(piece, "it ended too soon")
                read.update(piece)
                size -= len(piece)
            peak = peak_memory(tail.pid)
            tail.send_signal(harness.SIGTERM)
            rest, _ = self.assert_ends(tail, 0)
        self.assertEqual((read.hexdigest(), rest), (wanted.hexdigest(), ""))
        if MEASURES:
            self.assertLess(peak, 160 * MIB)

    def test_p1_a_count_is_met_exactly_inside_a_large_transaction(self):
        rows = 80 * MIB // ROW_BYTES
        with recorded(*transaction(2, rows)) as address:
            result = harness.vstream("tail", "commerce", "-a", address, "-c", str(rows - 5))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.encode(), b"".join(lines(2, rows - 5)))

    def test_p1_a_full_spill_disk_is_74_and_nothing_of_the_transaction_is_written(self):
        with recorded(*transaction(2, 1), *transaction(3, 80 * MIB // ROW_BYTES)) as address:
            tail = harness.start("tail", "commerce", "-a", address, preexec_fn=limit_file_size(10 * MIB))
            out, err = self.assert_ends(tail, 74)
        self.assertEqual(out.encode(), b"".join(lines(2, 1)))
        self.assertIn('could not write to a temporary file in "', err)
        self.assertIn('(shard "commerce/0", GTID %s:3)' % harness.UUID, err)

    def test_p1_the_limits_are_the_users(self):
        with recorded(*transaction(2, 1), *transaction(3, 20 * MIB // ROW_BYTES)) as address:
            limits = ["--max-transaction-memory", "1MiB", "--max-transaction-disk"]
            passed = harness.vstream("tail", "commerce", "-a", address, "-c", "3", *limits, "1GiB")
            self.assertEqual(passed.returncode, 0, passed.stderr)
            self.assertEqual(passed.stdout.encode(), b"".join([*lines(2, 1), *lines(3, 2)]))
            refused = harness.vstream("tail", "commerce", "-a", address, *limits, "8MiB")
        self.assertEqual((refused.returncode, refused.stdout.encode()), (74, b"".join(lines(2, 1))))
        self.assertIn('larger than --max-transaction-disk 8MiB (shard "commerce/0", GTID %s:3)' % harness.UUID,
                      refused.stderr)

    def test_a_full_output_disk_leaves_the_file_ending_at_a_transaction(self):
        with harness.temporary_folder() as folder:
            path = folder + "/changes.jsonl"
            with recorded(*transaction(2, 3), *transaction(3, 20 * MIB // ROW_BYTES)) as address:
                tail = harness.start("tail", "commerce", "-a", address, "-o", path,
                                     preexec_fn=limit_file_size(10 * MIB))
                _, err = self.assert_ends(tail, 74)
            self.assertIn("File too large", err)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), b"".join(lines(2, 3)))

    def test_p7_heartbeats_do_not_pile_up_behind_a_reader_that_takes_nothing(self):
        heartbeats = [[{"type": "HEARTBEAT", "timestamp": "1700000000"}]] * (1000000 if LONG else 300000)
        with recorded(*transaction(2, 10), *heartbeats, *transaction(3, 1)) as address:
            tail = harness.start("tail", "commerce", "-a", address)
            text = tail.stdout.read1(1)  # it writes, and the rest does not fit into the pipe
            before = peak_memory(tail.pid)
            harness.wait_until(Stillness(tail.pid))
            if MEASURES:
                self.assertLess(peak_memory(tail.pid) - before, 16 * MIB)
            while text.count(b"\n") < 11:
                text += tail.stdout.read1(MIB)
            tail.send_signal(harness.SIGTERM)
            self.assert_ends(tail, 0)


if __name__ == "__main__":
    unittest.main()
