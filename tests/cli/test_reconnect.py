"""What becomes of a stream that breaks, falls silent or never starts: the real binary against played faults."""
import json
import os
import signal
import socket
import unittest

import harness

SCENARIOS = harness.TESTS / "scenarios"
SERVER = "00000000-0000-0000-0000-000000000101"
QUICK = ("--liveness-timeout", "2s", "--startup-timeout", "3s")


class Played:
    """A running scenario: one of ours by its name, or a file."""

    def __init__(self, name):
        name = name if name.endswith(".json") else f"{name}.json"
        self.process = harness.start("simulate", str(SCENARIOS / name))
        self.address = self.process.stdout.readline().decode().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def go(self):
        """Lets what waits for "go" go on."""
        self.process.send_signal(signal.SIGUSR1)

    def complaints(self):
        """Ends it. What it says of requests that it did not expect."""
        self.process.send_signal(harness.SIGTERM)
        said = self.process.communicate(timeout=harness.DEADLINE)[1].decode()
        return "".join(said.splitlines(keepends=True)[1:])  # the first greets


def at(last):
    return f"shop/0@MySQL56/{SERVER}:1-{last}"


class Reconnect(harness.Case):
    def run_tail(self, scenario, *arguments):
        with Played(scenario) as played:
            result = harness.vstream("tail", "shop", "-a", played.address, *QUICK, *arguments)
            self.assertEqual(played.complaints(), "")
        return result

    def start_tail(self, played, *arguments):
        return harness.start("tail", "shop", "-a", played.address, *QUICK, *arguments)

    def names(self, lines):
        rows = [json.loads(line) for line in lines]
        return [(row["op"], (row.get("after") or row["before"])["name"]) for row in rows if row["type"] == "row"]

    def test_a_vtgate_that_accepts_and_never_answers_is_75(self):
        result = self.run_tail("silent", "--retry-for", "0")
        self.assert_fails(result, 75, "the stream did not start within 3 s", 'shard "0"')

    def test_a_vtgate_that_sends_only_heartbeats_is_75_and_the_shards_are_named(self):
        result = self.run_tail("heartbeats_only", "--retry-for", "0")
        self.assert_fails(result, 75, "the stream did not start", '"-80", "80-"')

    def test_l1_a_vtgate_that_stops_after_the_first_response_is_left(self):
        result = self.run_tail("silent_after_first_response", "-c", "1")
        self.assertEqual((result.returncode, self.names(result.stdout.splitlines())), (0, [("c", "tea")]))
        self.assertIn("VTGate has been silent for 2 s; trying again", result.stderr)

    def test_a_vtgate_that_goes_silent_inside_a_transaction_is_left_and_nothing_comes_twice(self):
        result = self.run_tail("silent_inside_transaction", "-c", "3")
        self.assertEqual(self.names(result.stdout.splitlines()), [("c", "tea"), ("c", "coffee"), ("c", "milk")])
        self.assertIn('a transaction of shard "0" stands open', result.stderr)

    def test_o2_l5_l9_faults_of_every_kind_and_the_stream_goes_on_where_it_stood(self):
        with Played("error_then_recovery") as played:
            tail = self.start_tail(played, "-c", "4")
            lines = []
            for _ in range(3):
                lines += harness.read_lines(tail, 1)
                played.go()
            out, err = self.assert_ends(tail, 0)
            self.assertEqual(played.complaints(), "")
        self.assertEqual(self.names(lines + out.splitlines()),
                         [("c", "tea"), ("u", "green tea"), ("c", "coffee"), ("d", "green tea")])
        self.assertEqual(err.count("streaming again"), 3, err)

    def test_l5_endless_ends_use_up_the_budget(self):
        result = self.run_tail("endless_eof", "--retry-for", "2s")
        self.assert_fails(result, 75, "the server ended the stream", "gave up after 2 s")

    def test_l4_an_error_that_says_purged_is_asked_for(self):
        result = self.run_tail("binlog_error", "-c", "1", "--from", at(10))
        self.assertEqual((result.returncode, self.names(result.stdout.splitlines())), (0, [("c", "tea")]), result.stderr)

    def test_l4_purged_on_one_tablet_only_starts(self):
        result = self.run_tail("purged_on_one_tablet", "-c", "1", "--from", at(50))
        self.assertEqual((result.returncode, self.names(result.stdout.splitlines())), (0, [("c", "tea")]), result.stderr)

    def test_l4_purged_everywhere_is_76_with_both_ways_out(self):
        result = self.run_tail("purged_everywhere", "--from", at(50))
        self.assert_fails(result, 76, "shop/0", at(50).split("@")[1], "--from copy", "newer position")

    def test_c2_c4_a_copy_goes_on_with_position_and_cursor(self):
        with Played("eof_in_copy") as played:
            tail = self.start_tail(played, "--from", "copy", "-c", "4")
            lines = harness.read_lines(tail, 2)
            played.go()
            out, _ = self.assert_ends(tail, 0)
            self.assertEqual(played.complaints(), "")
        self.assertEqual(self.names(lines + out.splitlines()),
                         [("r", "tea"), ("r", "coffee"), ("d", "tea"), ("r", "milk")])

    def test_c1_a_cursor_goes_back_byte_for_byte(self):
        with Played("lastpk_fields") as played:
            tail = self.start_tail(played, "--from", "copy", "--until", "copy-completed")
            lines = harness.read_lines(tail, 1)
            played.go()
            out, _ = self.assert_ends(tail, 0)
            self.assertEqual(played.complaints(), "")
        labels = [json.loads(line)["after"]["label"] for line in lines + out.splitlines() if '"row"' in line]
        self.assertEqual(labels, ["first", "second"])

    def test_c5_a_copy_that_is_done_is_never_asked_for_again(self):
        result = self.run_tail("copied_once", "--from", "copy", "-c", "3")
        self.assertEqual(self.names(result.stdout.splitlines()), [("r", "tea"), ("r", "coffee"), ("d", "tea")])
        self.assertEqual(result.stdout.count('{"type":"copy_completed"}'), 1)

    def test_a_stop_while_the_stream_is_down_is_clean(self):
        with Played("endless_eof") as played:
            tail = self.start_tail(played)
            self.assertIn(b"trying again", tail.stderr.readline())
            tail.send_signal(harness.SIGTERM)
            self.assert_ends(tail, 0)

    def test_a_duration_ends_also_what_has_not_begun(self):
        started = ("tail", "shop", "-a", harness.closed_port(), "--retry-start", "--duration", "1s")
        result = harness.vstream(*started)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(harness.vstream(*started, "-c", "1").returncode, 1)

    def test_a_server_that_comes_back_is_seen_at_once(self):
        with harness.simulator("--seed", "3") as address:
            tail = harness.start("tail", "customer", "-a", address, "--retry-for", "10s")
            tail.stdout.readline()
        lines = iter(tail.stderr.readline, b"")
        self.assertTrue(any(b"trying again" in line for line in lines))
        with harness.simulator("--seed", "3", "--listen", address):  # its history begins anew
            _, err = self.assert_ends(tail, 76)
        self.assertIn("the position of shard", err)

    def test_l5_an_event_that_moves_nothing_is_no_progress(self):
        with harness.temporary_folder() as folder:
            path = os.path.join(folder, "idle.json")
            with open(path, "w") as file:
                json.dump({"keyspaces": {"shop": {"shards": ["0"]}}, "after_last_call": "repeat",
                           "calls": [[{"position": 10}, {"error": "UNAVAILABLE", "text": "x"}]]}, file)
            with Played(path) as played:
                result = harness.vstream("tail", "shop", "-a", played.address, "--retry-for", "2s")
        self.assertEqual(result.returncode, 75, result.stderr)

    def test_a_server_that_is_not_there_yet_is_waited_for_if_asked(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = "127.0.0.1:%d" % listener.getsockname()[1]
        tail = harness.start("tail", "customer", "-a", address, "-c", "1", "--retry-start")
        self.assertIn(b"could not reach VTGate at \"" + address.encode(), tail.stderr.readline())
        server = harness.start("simulate", "--listen", address, stderr=-3)
        try:
            self.assert_ends(tail, 0)
        finally:
            server.kill()
            server.communicate()


class Ready(harness.Case):
    def test_o9_the_ready_file_has_the_position_and_what_is_changed_after_it_comes(self):
        with harness.simulator("--rows-per-second", "0") as address, harness.temporary_folder() as folder:
            ready = os.path.join(folder, "ready")
            tail = harness.start("tail", "customer", "-a", address, "--ready-file", ready)
            harness.wait_until(lambda: os.path.exists(ready))
            with open(ready) as file:
                position = json.load(file)
            self.assertEqual([entry["shard"] for entry in position], ["-80", "80-"])
            self.assertEqual(os.listdir(folder), ["ready"])
            tail.send_signal(harness.SIGTERM)
            self.assert_ends(tail, 0)

    def test_a_ready_file_that_cannot_be_meant_is_refused_and_untouched(self):
        with harness.temporary_folder() as folder:
            fifo, link, output = folder + "/fifo", folder + "/link", folder + "/out"
            os.mkfifo(fifo)
            os.symlink("nowhere", link)
            for path in (fifo, link, folder):
                self.assert_fails(harness.vstream("tail", "shop", "--ready-file", path), 64, path, "regular file")
            self.assert_fails(harness.vstream("tail", "shop", "--ready-file", output, "-o", output), 64, "same file")
            self.assert_fails(harness.vstream("tail", "shop", "--ready-file", folder + "/no/ready"), 74, "No such file")
            self.assertEqual(sorted(os.listdir(folder)), ["fifo", "link"])

    def test_an_old_ready_file_is_not_taken_for_this_runs(self):
        with harness.temporary_folder() as folder:
            ready = os.path.join(folder, "ready")
            with open(ready, "w") as file:
                file.write("old")
            harness.vstream("tail", "shop", "-a", harness.closed_port(), "--ready-file", ready)
            self.assertEqual(os.listdir(folder), [])

    def test_the_service_manager_is_told(self):
        with harness.simulator() as address, harness.temporary_folder() as folder:
            path = os.path.join(folder, "notify")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(path)
                manager.settimeout(harness.DEADLINE)
                tail = harness.start("tail", "customer", "-a", address,
                                     env={**harness.ENVIRONMENT, "NOTIFY_SOCKET": path})
                self.assertEqual(manager.recv(100), b"READY=1")
            tail.send_signal(harness.SIGTERM)
            self.assert_ends(tail, 0)

    def test_a_stream_that_has_not_started_is_not_ready(self):
        with Played("heartbeats_only") as played, harness.temporary_folder() as folder:
            ready = os.path.join(folder, "ready")
            tail = harness.start("tail", "shop", "-a", played.address, "--startup-timeout", "3s", "--retry-for", "0",
                                 "--ready-file", ready)
            self.assert_ends(tail, 75)
            self.assertFalse(os.path.exists(ready))


class Options(harness.Case):
    def test_what_cannot_be_meant_is_refused(self):
        for arguments, parts in (
            (("--heartbeat-interval", "1500ms"), ("--heartbeat-interval", "whole seconds")),
            (("--heartbeat-interval", "2h"), ("--heartbeat-interval",)),
            (("--heartbeat-interval", "10s"), ("--liveness-timeout", "--heartbeat-interval")),
            (("--shard-stall-timeout", "10s"), ("--shard-stall-timeout", "--stream-keyspace-heartbeats")),
            (("--retry-for", "5"), ("--retry-for", "unit")),
            (("--retry-for", "0", "--retry-start"), ("--retry-start", "--retry-for 0")),
            (("--startup-timeout", "soon"), ("--startup-timeout",)),
            (("--shutdown-grace", "5"), ("--shutdown-grace",)),
            (("--max-transaction-memory", "1"), ("--max-transaction-memory",)),
        ):
            with self.subTest(arguments):
                self.assert_fails(harness.vstream("tail", "shop", *arguments), 64, *parts)


if __name__ == "__main__":
    unittest.main()
