"""`vstream tail` on the demo shop: how it starts, where it writes, how it ends."""
import contextlib
import json
import os
import pty
import resource
import signal
import socket
import subprocess
import unittest

import harness


class Tail(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.context = harness.simulator("--rows-per-second", "200")
        cls.address = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def tail(self, *arguments, **options):
        return harness.vstream("tail", *arguments, "-a", self.address, **options)

    def start(self, *arguments, **options):
        return harness.start("tail", *arguments, "-a", self.address, **options)

    def test_o8_count_prints_exactly_so_many_rows(self):
        for count in (1, 5, 37):
            result = self.tail("customer", "-c", str(count))
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual([line["type"] for line in lines], ["row"] * count)
            self.assertIn("ended: count, %d row" % count, result.stderr)
            self.assertIn("customer/-80@MySQL56/", result.stderr)

    def test_stdout_holds_whole_transactions_in_order_per_shard(self):
        result = self.tail("customer", "--emit", "row,begin,commit", "-c", "60")
        open_shard, last = None, {}
        for line in map(json.loads, result.stdout.splitlines()):
            if line["type"] == "begin":
                self.assertIsNone(open_shard)
                open_shard = line["shard"]
            elif line["type"] == "commit":
                self.assertEqual(open_shard, line["shard"])
                open_shard = None
            else:
                self.assertEqual(open_shard, line["shard"])
                number = int(line["gtid"].rsplit(":", 1)[1])
                self.assertGreaterEqual(number, last.get(line["shard"], 0))
                last[line["shard"]] = number

    def test_a_copy_prints_every_row_once_and_says_when_it_is_complete(self):
        result = self.tail("customer", "--from", "copy", "--until", "copy-completed")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        completed = [line.get("shard") for line in lines if line["type"] == "copy_completed"]
        self.assertEqual(sorted(completed[:2]), ["-80", "80-"])
        self.assertEqual(completed[2:], [None])
        self.assertEqual(lines[-1], {"type": "copy_completed"})
        keys = [(l["table"], l["after"].get("order_id", l["after"]["customer_id"])) for l in lines if l.get("op") == "r"]
        self.assertGreater(len(keys), 20)
        self.assertEqual(len(keys), len(set(keys)))
        self.assertTrue(all("ts_ms" not in l and "gtid" not in l for l in lines if l.get("op") == "r"))

    def test_several_keyspaces_are_copied_side_by_side_and_are_complete_together(self):
        result = self.tail("customer", "commerce.product", "--from", "copy", "--until", "copy-completed",
                           "--emit", "+begin,+commit,+end")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        completed = [(line.get("keyspace"), line.get("shard")) for line in lines if line["type"] == "copy_completed"]
        self.assertEqual(completed[-1], (None, None))
        self.assertEqual(sorted(completed[:-1]), [("commerce", "0"), ("customer", "-80"), ("customer", "80-")])
        copied = {(line["keyspace"], line["table"]) for line in lines if line["type"] == "row" and line["op"] == "r"}
        self.assertEqual(copied, {("commerce", "product"), ("customer", "customer"), ("customer", "orders")})
        open_shard = None
        for line in lines:
            if line["type"] == "begin":
                self.assertIsNone(open_shard)
                open_shard = (line["keyspace"], line["shard"])
            elif line["type"] in ("row", "commit"):
                self.assertEqual((line["keyspace"], line["shard"]), open_shard)
                open_shard = None if line["type"] == "commit" else open_shard
        end = lines[-1]
        self.assertEqual((end["type"], end["reason"]), ("end", "copy_completed"))
        self.assertEqual(end["rows"], sum(line["type"] == "row" for line in lines))
        self.assertEqual(sorted((p["keyspace"], p["shard"]) for p in end["vgtid"]), sorted(completed[:-1]))

    def test_o8_a_count_is_of_all_keyspaces_together(self):
        result = self.tail("customer", "commerce", "-c", "40")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 40)
        self.assertIn("ended: count, 40 rows", result.stderr)
        self.assertIn("customer/-80@MySQL56/", result.stderr)

    def test_c12_a_copy_goes_on_with_the_changes(self):
        tail = self.start("customer.orders", "--from", "copy")
        seen_copied = False
        for line in iter(tail.stdout.readline, b""):
            row = json.loads(line)
            seen_copied = seen_copied or row.get("op") == "r"
            if row.get("op") in ("c", "u", "d"):
                break
        self.assertTrue(seen_copied)
        tail.send_signal(harness.SIGINT)
        self.assert_ends(tail, 0)

    def test_o6_a_stream_goes_on_at_the_position_where_the_last_one_ended(self):
        first = self.tail("customer/-80.orders", "-c", "3", "--emit", "row,end")
        end = json.loads(first.stdout.splitlines()[-1])
        self.assertEqual((end["type"], end["reason"], end["rows"]), ("end", "count", 3))
        reached = int(end["vgtid"][0]["gtid"].rsplit("-", 1)[1])
        with harness.temporary_folder() as folder:
            path = folder + "/position.json"
            with open(path, "w") as file:
                json.dump(end["vgtid"], file)
            short = ",".join("%s/%s@%s" % (s["keyspace"], s["shard"], s["gtid"]) for s in end["vgtid"])
            for position in (json.dumps(end["vgtid"]), "@" + path, short):
                again = self.tail("customer/-80.orders", "--from", position, "-c", "1")
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertGreater(int(json.loads(again.stdout)["gtid"].rsplit(":", 1)[1]), reached)

    def test_o8_the_position_of_a_transaction_that_was_cut_is_before_it(self):
        whole = self.tail("customer", "--emit", "row,commit", "-c", "200")
        rows, big = [], None
        for line in map(json.loads, whole.stdout.splitlines()):
            if line["type"] == "row":
                rows.append(line)
            elif line["rows"] > 1 and big is None:
                big = line
        self.assertIsNotNone(big, "no transaction of several rows")
        uuid, number = big["gtid"].rsplit(":", 1)
        place = "customer/%s" % big["shard"]
        before = "%s@MySQL56/%s:1-%d" % (place, uuid, int(number) - 1)
        cut = self.tail(place, "--from", before, "-c", "1", "--emit", "row,end")
        row, end = map(json.loads, cut.stdout.splitlines())
        self.assertEqual(row["gtid"], big["gtid"])
        self.assertEqual(["%s@%s" % (place, s["gtid"]) for s in end["vgtid"]], [before])
        again = self.tail(place, "--from", before, "-c", str(big["rows"]), "--emit", "row,end")
        end = json.loads(again.stdout.splitlines()[-1])
        self.assertEqual(end["vgtid"][0]["gtid"], "MySQL56/%s:1-%s" % (uuid, number))

    def test_a_socket_whose_peer_closes_ends_the_run(self):
        ours, theirs = socket.socketpair()
        with harness.simulator("--rows-per-second", "0") as address:
            tail = harness.start("tail", "customer", "-a", address, stdout=theirs)
            theirs.close()
            tail.stderr.readline()  # it streams
            ours.close()
            self.assertEqual(tail.wait(harness.DEADLINE), 0)
            tail.stderr.close()

    def test_a_full_stderr_holds_nothing_up(self):
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(write_end, b"x" * 65536)
        os.set_blocking(write_end, True)
        tail = self.start("customer", "-c", "2", "-v", stderr=write_end)
        os.close(write_end)
        self.assertEqual(len(tail.stdout.readlines()), 2)
        self.assertEqual(tail.wait(harness.DEADLINE), 0)
        tail.stdout.close()
        os.close(read_end)

    def test_a_copy_that_was_cut_short_tells_no_position(self):
        result = self.tail("customer", "--from", "copy", "-c", "2", "--emit", "end")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["vgtid"], [])
        self.assertIn("ended: count, 2 rows, the copy is not complete", result.stderr)

    def test_one_table_and_one_shard_are_what_is_printed(self):
        result = self.tail("customer/80-.orders", "-c", "20")
        places = {(l["keyspace"], l["shard"], l["table"]) for l in map(json.loads, result.stdout.splitlines())}
        self.assertEqual(places, {("customer", "80-", "orders")})

    def test_a_position_for_some_shards_streams_only_those_and_says_so(self):
        end = json.loads(self.tail("customer/-80", "-c", "1", "--emit", "end").stdout)
        result = self.tail("customer", "--from", json.dumps(end["vgtid"]), "-c", "5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual({json.loads(l)["shard"] for l in result.stdout.splitlines()}, {"-80"})
        self.assertIn('--from has no position for shard "80-"', result.stderr)

    def test_a_reader_that_goes_away_ends_the_run_quietly(self):
        tail = self.start("customer")
        head = subprocess.run(["head", "-3"], stdin=tail.stdout, capture_output=True, timeout=harness.DEADLINE)
        tail.stdout.close()
        tail.wait(harness.DEADLINE)
        error = tail.stderr.read().decode()
        tail.stderr.close()
        self.assertEqual((tail.returncode, len(head.stdout.splitlines())), (0, 3), error)
        self.assertNotIn("warning", error)
        self.assertNotIn("ended", error)

    def test_a_reader_that_goes_away_is_noticed_on_an_idle_stream(self):
        with harness.simulator("--rows-per-second", "0") as address:
            tail = harness.start("tail", "customer", "-a", address)
            tail.stderr.readline()  # it streams
            tail.stdout.close()
            tail.wait(harness.DEADLINE)
            tail.stderr.close()
            self.assertEqual(tail.returncode, 0)

    def test_one_signal_ends_it_cleanly(self):
        for signal in (harness.SIGINT, harness.SIGTERM):
            tail = self.start("customer")
            tail.stdout.readline()
            tail.send_signal(signal)
            out, err = self.assert_ends(tail, 0)
            self.assertIn("ended: signal", err)
            for line in out.splitlines():
                json.loads(line)

    def test_a_second_signal_ends_it_at_once(self):
        for signal, code in ((harness.SIGINT, 130), (harness.SIGTERM, 143)):
            # Nobody reads, so the run hangs in its write and cannot end by itself.
            with harness.simulator("--replay", str(harness.TRANSCRIPTS / "chunked.jsonl")) as address:
                tail = harness.start("tail", "commerce", "-a", address)
                tail.stderr.readline()
                harness.wait_until(lambda: self.unread(tail.stdout) >= 65536)
                tail.send_signal(signal)
                harness.wait_until(lambda: not self.pending(tail.pid, signal))
                self.assertIsNone(tail.poll())
                tail.send_signal(signal)
                self.assertEqual(tail.wait(harness.DEADLINE), code)
                tail.communicate()

    def test_a_reader_that_takes_nothing_is_not_waited_for_for_ever(self):
        with harness.simulator("--replay", str(harness.TRANSCRIPTS / "chunked.jsonl")) as address:
            tail = harness.start("tail", "commerce", "-a", address)
            harness.wait_until(lambda: self.unread(tail.stdout) >= 65536)
            tail.send_signal(harness.SIGTERM)
            self.assertEqual(tail.wait(harness.DEADLINE), 143)
            _, err = tail.communicate()
            self.assertIn("the reader of the output did not take it in time", err.decode())

    @staticmethod
    def unread(pipe):
        import array
        import fcntl
        import termios

        size = array.array("i", [0])
        fcntl.ioctl(pipe, termios.FIONREAD, size)
        return size[0]

    @staticmethod
    def pending(pid, signal):
        with open("/proc/%d/status" % pid) as status:
            masks = [int(l.split()[1], 16) for l in status if l.startswith(("SigPnd", "ShdPnd"))]
        return any(mask >> (signal - 1) & 1 for mask in masks)

    def test_duration_ends_it_and_an_unmet_goal_is_1(self):
        self.assertEqual(self.tail("customer", "--duration", "300ms").returncode, 0)
        missed = self.tail("customer", "-c", "1000000", "--duration", "300ms")
        self.assertEqual(missed.returncode, 1)
        self.assertIn("--duration passed before the goal was met", missed.stderr)

    def test_file_appends_and_stdout_stays_empty(self):
        with harness.temporary_folder() as folder:
            path = folder + "/changes.jsonl"
            for count in (2, 3):
                result = self.tail("customer", "-c", str(count), "-o", path)
                self.assertEqual((result.returncode, result.stdout), (0, ""))
            with open(path) as file:
                self.assertEqual(len([json.loads(line) for line in file]), 5)

    def test_log_rotation_loses_and_repeats_nothing(self):
        for signals in ([], [signal.SIGHUP]):
            with harness.temporary_folder() as folder:
                path, old = folder + "/changes.jsonl", folder + "/changes.jsonl.1"
                tail = self.start("customer/-80", "-o", path, "--emit", "commit")
                harness.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
                os.rename(path, old)
                for each in signals:
                    tail.send_signal(each)
                harness.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
                tail.send_signal(harness.SIGTERM)
                _, err = self.assert_ends(tail, 0)
                self.assertIn('"%s" was moved or replaced: went on in a new file' % path, err)
                numbers = []
                for name in (old, path):
                    with open(name) as file:
                        numbers += [int(json.loads(line)["gtid"].rsplit(":", 1)[1]) for line in file]
                self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def test_a_fifo_ends_the_run_when_its_reader_goes_away(self):
        with harness.temporary_folder() as folder:
            path = folder + "/fifo"
            os.mkfifo(path)
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK)) as fifo:
                os.set_blocking(fifo.fileno(), True)
                tail = self.start("customer", "-o", path)
                harness.wait_until(lambda: self.unread(fifo) > 0)
                self.assertEqual(json.loads(fifo.readline())["type"], "row")
            self.assert_ends(tail, 0)

    def test_a_fifo_without_a_reader_is_not_waited_for(self):
        with harness.temporary_folder() as folder:
            os.mkfifo(folder + "/fifo")
            self.assert_fails(self.tail("customer", "-o", folder + "/fifo"), 74, "/fifo", "nobody reads it")

    def test_closed_descriptors_are_never_mistaken_for_a_file(self):
        with harness.temporary_folder() as folder:
            path = folder + "/changes.jsonl"
            shell = ["sh", "-c", 'exec "$0" tail customer -c 2 -o "$1" -a "$2" 0<&- 1>&- 2>&-']
            run = subprocess.run([*shell, harness.VSTREAM, path, self.address], timeout=harness.DEADLINE)
            self.assertEqual(run.returncode, 0)
            with open(path) as file:
                self.assertEqual([json.loads(line)["type"] for line in file], ["row", "row"])
        closed = subprocess.run(["sh", "-c", 'exec "$0" tail customer -c 2 -a "$1" 1>&-', harness.VSTREAM, self.address],
                                capture_output=True, timeout=harness.DEADLINE)
        self.assertEqual(closed.returncode, 74)
        self.assertIn(b"could not write the output", closed.stderr)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        tail = harness.start("tail", "customer", "-a", self.address,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        tail.stdout.readline()
        tail.send_signal(signal.SIGHUP)
        for _ in range(20):
            self.assertTrue(tail.stdout.readline())
        tail.send_signal(harness.SIGTERM)
        self.assert_ends(tail, 0)

    def test_a_file_size_limit_is_an_error_and_leaves_whole_lines(self):
        with harness.temporary_folder() as folder:
            path = folder + "/changes.jsonl"
            tail = harness.start("tail", "customer", "-a", self.address, "-o", path,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)))
            _, err = self.assert_ends(tail, 74)
            self.assertIn("File too large", err)
            with open(path) as file:
                for line in file:
                    self.assertTrue(line.endswith("\n"))
                    json.loads(line)

    def test_quiet_prints_no_talk_and_verbose_prints_the_request(self):
        self.assertEqual(self.tail("customer", "-c", "1", "-q").stderr, "")
        self.assertIn("include_reshard_journal_events", self.tail("customer", "-c", "1", "-v").stderr)

    def test_emit_chooses_the_lines(self):
        for option, kinds in (("end", {"end"}), ("+end,-row", {"end"}), ("row,end", {"row", "end"})):
            result = self.tail("customer", "-c", "1", "--emit", option)
            self.assertEqual({json.loads(l)["type"] for l in result.stdout.splitlines()}, kinds)

    def test_o1_lines_come_at_once_on_an_idle_stream(self):
        with harness.simulator("--rows-per-second", "0") as address:
            tail = harness.start("tail", "customer", "-a", address, "--emit", "heartbeat")
            self.assertEqual(json.loads(tail.stdout.readline())["type"], "heartbeat")
            tail.send_signal(harness.SIGTERM)
            self.assert_ends(tail, 0)

    def test_the_time_zone_of_the_machine_does_not_matter(self):
        position = json.loads(self.tail("customer", "-c", "1", "--emit", "end").stdout)["vgtid"]
        outputs = set()
        for zone in ("UTC", "Asia/Tokyo"):
            environment = dict(harness.ENVIRONMENT, TZ=zone)
            one_shard = json.dumps([s for s in position if s["shard"] == "-80"])
            outputs.add(self.tail("customer/-80", "--from", one_shard, "-c", "9", env=environment).stdout)
        self.assertEqual(len(outputs), 1)

    def test_colours_are_for_terminals_and_who_asks(self):
        self.assertIn("\x1b[", self.tail("customer", "-c", "1", "--color", "always").stdout)
        self.assertNotIn("\x1b[", self.tail("customer", "-c", "1").stdout)
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False),
                                    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True)):
            environment = dict(harness.ENVIRONMENT, TERM="xterm")
            environment.update(variables)
            ours, theirs = pty.openpty()
            tail = self.start("customer", "-c", "1", stdout=theirs, env=environment)
            os.close(theirs)
            printed = b""
            try:
                while chunk := os.read(ours, 65536):
                    printed += chunk
            except OSError:
                pass  # the terminal is gone with its last user
            self.assertEqual(tail.wait(harness.DEADLINE), 0)
            tail.stderr.close()
            os.close(ours)
            self.assertEqual(b"\x1b[" in printed, coloured, variables)


if __name__ == "__main__":
    unittest.main()
