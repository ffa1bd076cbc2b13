"""What a user gets wrong: each mistake has its exit code and a message that names it and says what to do."""

from check import expect


def an_unknown_keyspace(world):
    _expect_error(world, 69, ["keyspace", "nope"], "tail", "nope")


def an_unknown_shard(world):
    _expect_error(world, 69, ["shard", "-40", "customer"], "tail", "customer/-40")


def an_unknown_table(world):
    _expect_error(world, 69, ["table", "nope", "commerce"], "tail", "commerce.nope")


def a_position_that_is_none(world):
    _expect_error(world, 64, ["nonsense"], "tail", "commerce", "--from", "commerce/0@nonsense")


def a_gtid_set_that_is_none(world):
    _expect_error(world, 64, ["xyz"], "tail", "commerce", "--from", "commerce/0@MySQL56/xyz:1-5")


def a_position_that_no_server_ever_had(world):
    # VTGate alone would look for a tablet for 90 s and then say that there is none.
    position = "commerce/0@MySQL56/00000000-0000-0000-0000-000000000001:1-5"
    _expect_error(world, 76, ["commerce/0", "lost", "--from copy"], "tail", "commerce", "--from", position)


def a_port_that_nobody_listens_on(world):
    address = f"127.0.0.1:{world.cluster.run.port()}"
    _expect_error(world, 75, [address], "tail", "commerce", address=address)


def the_mysql_port(world):
    address = f"127.0.0.1:{world.cluster.mysql_port}"
    _expect_error(world, 69, [address, "grpc"], "tail", "commerce", address=address)


def _expect_error(world, code, words, *arguments, address=None):
    result = world.vstream.run(*arguments, address=address)
    told = result.stderr.decode()
    expect(result.code == code, result)
    expect(not result.stdout, result)
    expect(told.startswith("vstream: "), result)
    expect(all(word in told.lower() for word in words), f"not all of {words} are named\n{result}")
    expect(len(told.strip().splitlines()) >= 2, f"no hint on a line of its own\n{result}")


TESTS = [
    an_unknown_keyspace,
    an_unknown_shard,
    an_unknown_table,
    a_position_that_is_none,
    a_gtid_set_that_is_none,
    a_position_that_no_server_ever_had,
    a_port_that_nobody_listens_on,
    the_mysql_port,
]
