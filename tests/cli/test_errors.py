"""What goes wrong, with its exit code and the words a user can act on."""
import unittest

import harness

GTID = "MySQL56/1c781bb1-eccc-11f1-baee-02fc00000001:1-5"


class Usage(harness.Case):
    def test_c8_options_that_cannot_be_read(self):
        cases = [
            ((), "no command was given"),
            (("tail", "a", "--from", "now"), "current, copy"),
            (("tial",), "tial"),
            (("-V",), 'no option "-V"'),
            (("tail", "a", "--no-such-option"), "--no-such-option"),
            (("tail", "a", "--no-such-option"), "see vstream tail --help"),
            (("tail", "a", "-c", "0"), "--count 0"),
            (("tail", "a", "-c", "x"), "x"),
            (("tail", "a", "-c", ""), "--count"),
            (("tail", "a", "-c", "0x10"), "0x10"),
            (("tail", "a", "-c", "99999999999999999999"), "99999999999999999999"),
            (("tail", "a", "-o", ""), "--file is empty"),
            (("tail", "-f", "a"), "tail always follows; to write to a file use -o"),
            (("tail", "a", "-a", "127.0.0.1"), "HOST:PORT"),
            (("tail", "a", "-a", "127.0.0.1:99999"), "HOST:PORT"),
            (("tail", "a", "-a", "::1:15991"), "HOST:PORT"),
            (("tail", "a", "-a", ""), "HOST:PORT"),
            (("tail", "a", "--from", "a/0@%s:50-5" % harness.UUID), "ends before it starts"),
            (("tail", "a", "--from", "a/0@MySQL56/"), "empty"),
            (("tail", "a", "-c", "-5"), "-5"),
            (("tail", "a", "--duration", "10"), "a duration carries a unit"),
            (("tail", "a", "--duration", ""), "a duration carries a unit"),
            (("tail", "a", "--duration", "365000d"), "at most a hundred years"),
            (("tail", "a", "--max-message-size", "64"), "a size carries a unit"),
            (("tail", "a", "--tablet-type", "master"), "primary, replica, rdonly"),
            (("tail", "a", "--format", "xml"), "native, raw"),
            (("tail", "a", "--emit", "rows"), 'does not know "rows"'),
            (("tail", "a", "--emit", "+end,row"), "mixes"),
            (("tail", "a", "--emit", "end", "--format", "raw"), "--format raw and --emit"),
            (("tail", "a", "--until", "copy-completed"), "needs --from copy"),
            (("tail", "a", "--until", "tomorrow"), "tomorrow"),
            (("tail", "a", "--from", ""), "--from is empty"),
            (("tail", "a", "--from", "10m"), "no time index"),
            (("tail", "a", "--from", "2026-11-30T10:00:00Z"), "no time index"),
            (("tail", "a", "--from", "a/0@MySQL56/zz"), "zz"),
            (("tail", "a", "--from", "a/0"), "a/0"),
            (("tail", "a", "--from", "[{"), "--from"),
            (("tail", "a", "--from", "a/0@" + GTID + ",a/0@" + GTID), "a/0"),
            (("tail", "a", "--from", "a/0@current"), "current"),
            (("tail", ".t"), "names no keyspace"),
            (("tail", "a."), "after the dot"),
            (("tail", "a/"), "after the slash"),
            (("tail", "a./(t/"), "missing )"),
            (("tail", "a.//"), "regular expression"),
            (("tail", "a", "--exclude", "a."), "--exclude"),
            (("tail", "a", "--exclude", "b.t"), "nothing is selected"),
            (("tail", "a", "--where", "t"), "no table and colon"),
            (("tail", "a", "--where", "t: a like 'x'"), "like"),
            (("tail", "a", "--where", "b.t: a = 1"), "nothing is selected"),
            (("tail", "a", "b", "--where", "t: a = 1"), "does not say of which keyspace"),
            (("tail", "a", "--where", "t: a = 1", "--where", "a.t: b = 1"), "join the conditions with AND"),
            (("tail", "a", "--columns", "t: x", "--columns", "t: y"), "twice"),
            (("tail", "a", "--columns", "t: x,,y"), "--columns"),
            (("tail", "a", "--where", "t: a = 1", "--partial-images", "mark"), "--where and --partial-images mark"),
            (("tail", "a", "--ops", "c,x"), 'does not know "x"'),
            (("tail", "a", "--ops", "c", "--format", "raw"), "--format raw and --ops"),
            (("tail", "a", "--vstream-flag", "minimize_skew"), "NAME=VALUE"),
            (("tail", "a", "--vstream-flag", "heartbeat_interval=5"), "--heartbeat-interval"),
            (("tail", "a", "--vstream-flag", "nope=5"), "no flag"),
            (("tail", "a", "--vstream-flag", "transaction_chunk_size=1", "--liveness-timeout", "0"), "liveness"),
            (("tail", "a", "--cell-preference", "nearest"), "onlyspecified"),
            (("simulate", "--listen", "nowhere"), "nowhere"),
        ]
        for arguments, part in cases:
            with self.subTest(arguments):
                self.assert_fails(harness.vstream(*arguments), 64, part)

    def test_a_position_file_that_is_not_there(self):
        self.assert_fails(harness.vstream("tail", "a", "--from", "@/no/such/file"), 66, "/no/such/file")

    def test_help_and_version_are_no_errors(self):
        for arguments, part in ((("--help",), "Examples:"), (("help",), "Examples:"), (("tail", "--help"), "vstream tail commerce"),
                                (("simulate", "--help"), "--replay"), (("version",), "vstream "),
                                (("--version",), "vstream ")):
            result = harness.vstream(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(part, result.stdout)


    def test_help_that_nobody_can_read_is_an_error(self):
        for arguments in (("version",), ("--help",)):
            with open("/dev/full", "w") as full:
                self.assertEqual(harness.start(*arguments, stdout=full, stderr=None).wait(harness.DEADLINE), 74)

    def test_foreign_control_characters_are_made_visible(self):
        result = harness.vstream("tail", b"a\x9b\xc2\x9b\x1b[31m.")
        self.assertEqual(result.returncode, 64)
        self.assertIn("a\\x9b\\x9b\\x1b[31m", result.stderr)


class Connection(harness.Case):
    def test_a_proxy_in_the_environment_is_not_for_databases(self):
        with harness.simulator() as address:
            environment = dict(harness.ENVIRONMENT, http_proxy="http://127.0.0.1:9")
            result = harness.vstream("tail", "customer", "-a", address, "-c", "1", env=environment)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_nobody_listens(self):
        address = harness.closed_port()
        self.assert_fails(harness.vstream("tail", "a", "-a", address), 75, "could not reach VTGate", "refused",
                          "--address")

    def test_an_address_that_is_none(self):
        self.assert_fails(harness.vstream("tail", "a", "-a", "nohost.invalid:15991"), 75, "could not reach VTGate")

    def test_the_mysql_port_instead_of_the_grpc_port(self):
        greeting = b"\x4a\x00\x00\x00\x0a8.0.30-Vitess\x00" + bytes(60)
        with harness.fake_server(greeting=greeting) as address:
            self.assert_fails(harness.vstream("tail", "a", "-a", address), 69, "MySQL or web port")

    def test_the_web_port_instead_of_the_grpc_port(self):
        answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
        with harness.fake_server(answer=answer) as address:
            self.assert_fails(harness.vstream("tail", "a", "-a", address), 69, "MySQL or web port")

    def test_a_server_that_never_answers(self):
        with harness.fake_server() as address:
            self.assert_fails(harness.vstream("tail", "a", "-a", address, "--connect-timeout", "500ms"), 75,
                              "could not reach VTGate")

    def test_ctrl_c_while_connecting_is_a_clean_end(self):
        with harness.fake_server() as address:
            tail = harness.start("tail", "a", "-a", address, "--connect-timeout", "1h")
            harness.wait_until(lambda: self.has_signal_descriptor(tail.pid))
            tail.send_signal(harness.SIGINT)
            self.assert_ends(tail, 0)

    @staticmethod
    def has_signal_descriptor(pid):
        import os

        folder = "/proc/%d/fd/" % pid
        try:
            return any("signalfd" in os.readlink(folder + fd) for fd in os.listdir(folder))
        except OSError:
            return False


class Cluster(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.context = harness.simulator()
        cls.address = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def tail(self, *arguments):
        return harness.vstream("tail", *arguments, "-a", self.address)

    def test_names_that_do_not_exist(self):
        self.assert_fails(self.tail("shop"), 69, 'there is no keyspace "shop"', '"commerce", "customer"')
        self.assert_fails(self.tail("customer/0"), 69, 'no shard "0"', '"-80", "80-"')
        self.assert_fails(self.tail("customer.order"), 69, 'no table "order"', 'did you mean "orders"?')
        self.assert_fails(self.tail("custmer"), 69, 'did you mean "customer"?')
        self.assert_fails(self.tail("customer./order/"), 69, "matches", '"orders"')
        self.assert_fails(self.tail("customer.orders", "--columns", "order: id"), 69, 'did you mean "orders"?')
        self.assert_fails(self.tail("customer.orders", "--columns", "customer: id"), 64, "not selected")
        self.assert_fails(self.tail("customer", "--exclude", "customer"), 64, "--exclude leaves nothing")
        self.assert_fails(self.tail("customer.orders", "--exclude", "customer./o.*/"), 64, "--exclude leaves no table")
        self.assert_fails(self.tail("customer.orders/.*"), 69, "orders/.*")

    def test_no_selector_lists_the_keyspaces(self):
        self.assert_fails(self.tail(), 64, '"commerce", "customer"')

    def test_two_keyspaces(self):
        both = ("customer", "commerce")
        self.assert_fails(self.tail(*both, "--format", "raw"), 64, '"customer" and "commerce"')
        self.assert_fails(self.tail(*both, "--from", "customer/-80@" + GTID), 64, 'no position of keyspace "commerce"')
        self.assert_fails(self.tail(*both, "--from", "other/0@" + GTID), 64, '"other/0"', '"customer", "commerce"')
        self.assert_fails(self.tail("customer", "nothing"), 69, '"nothing"')

    def test_no_tablet_of_that_type(self):
        self.assert_fails(self.tail("customer", "--tablet-type", "rdonly"), 69, "no RDONLY tablet", "PRIMARY, REPLICA",
                          "--tablet-type")

    def test_positions_that_do_not_fit(self):
        self.assert_fails(self.tail("customer", "--from", "customer/0@" + GTID), 64, "customer/0", '"-80", "80-"')
        self.assert_fails(self.tail("customer/-80", "--from", "customer/80-@" + GTID), 64, "customer/80-")
        self.assert_fails(self.tail("customer", "--from", "commerce/0@" + GTID), 64, "commerce/0")

    def test_a_position_that_no_tablet_has(self):
        self.assert_fails(self.tail("customer/-80", "--from", "customer/-80@" + GTID), 76,
                          'the position of shard "customer/-80" is lost', "--from copy", GTID)

    def test_output_that_cannot_be_written(self):
        self.assert_fails(self.tail("customer", "-o", "/no/such/folder/file"), 74, "/no/such/folder/file")
        full = self.tail("customer", "-c", "1", "-o", "/dev/full")
        self.assertEqual(full.returncode, 74)
        self.assertIn("No space left", full.stderr)

    def test_a_file_that_is_not_ours_is_left_alone(self):
        with harness.temporary_folder() as folder:
            path = folder + "/notes"
            with open(path, "w") as file:
                file.write("dear diary")
            self.assert_fails(self.tail("customer", "-o", path), 65, path)
            with open(path) as file:
                self.assertEqual(file.read(), "dear diary")

    def test_a4_a_response_larger_than_allowed_names_the_option(self):
        with harness.simulator("--replay", str(harness.TRANSCRIPTS / "chunked.jsonl")) as address:
            result = harness.vstream("tail", "commerce", "-a", address, "--max-message-size", "16KiB")
            self.assertEqual(result.returncode, 69)
            self.assertIn("--max-message-size", result.stderr)

    def test_a_server_that_goes_away_is_75(self):
        with harness.simulator() as address:
            tail = harness.start("tail", "customer", "-a", address, "--retry-for", "0")
            tail.stdout.readline()
        _, err = self.assert_ends(tail, 75)
        self.assertTrue(err.splitlines()[-1].startswith("vstream: "), err)


if __name__ == "__main__":
    unittest.main()
