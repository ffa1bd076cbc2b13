"""A position that some or all tablets cannot serve: what is lost is told at once, what is not lost is waited for."""

import json

from chaos.proxy import Proxy
from check import expect
from rig import control, sql


def a_position_purged_on_every_tablet_is_lost(world):
    position = _position_before_a_purge(world)
    for tablet in world.cluster.tablets_of("commerce", "0"):
        _purge(world, tablet)
    for tablet_type in ("replica", "primary"):
        _expect_lost(world, position, "--tablet-type", tablet_type)


def a_position_that_is_purged_while_nobody_is_connected_is_lost(world):
    with Proxy(world.cluster.grpc_port) as proxy:
        position, address = _position_before_a_purge(world), f"127.0.0.1:{proxy.port}"
        stream = world.vstream.start(*_tail(position), address=address)
        try:
            expect(_names(stream.next_line()) == ["after"], "another line came")
            with proxy.down():
                _change(world)
                world.cluster.wait_for_replicas()
                for tablet in world.cluster.tablets_of("commerce", "0"):
                    _purge(world, tablet)
            result = stream.wait(60)  # VTGate alone would take 90 s, each time
        finally:
            stream.kill()
    expect(result.code == 76 and len(result.stdout.splitlines()) == 1, result)
    _expect_told_lost(result)


def a_position_ahead_of_the_primary_is_lost(world):
    position = world.cluster.position("commerce", "0")
    _expect_lost(world, position.rpartition(":")[0] + ":1-999999999")


def a_position_purged_on_one_replica_of_two_is_served(world):
    with control.another_replica(world.cluster, "commerce", "0"):
        position = _position_before_a_purge(world)
        primary, purged, _ = world.cluster.tablets_of("commerce", "0")
        expect(not purged.is_primary and primary.is_primary, "the primary is not the first")
        _purge(world, purged)
        for _ in range(3):  # VTGate chooses a replica at random
            result = world.vstream.run(*_tail(position), "-c", "1", seconds=180)
            expect(result.code == 0 and _names(result.stdout) == ["after"], result)


def a_replica_that_lags_is_waited_for(world):
    replica = world.cluster.tablets_of("commerce", "0")[1]
    with world.cluster.connect_mysqld(replica) as connection:
        sql.query(connection, "stop replica sql_thread")
        _change(world)
        stream = world.vstream.start(*_tail(world.cluster.position("commerce", "0")), "-c", "2")
        try:
            _change(world)
            stream.wait_for_talk(b"commerce/0")  # it names the shard whose replicas are behind
            sql.query(connection, "start replica sql_thread")
            result = stream.wait(180)
        finally:
            stream.kill()
            sql.query(connection, "start replica sql_thread")
    expect(result.code == 0 and _names(result.stdout) == ["before", "after"], result)


def _tail(position):
    return ("tail", "commerce.product", "--from", f"commerce/0@{position}")


def _change(world):
    world.query("commerce", "update product set name = 'before' where id = 1")
    world.query("commerce", "update product set name = 'after' where id = 1")


def _position_before_a_purge(world):
    """One whose next change is to 'after', and is on every tablet."""
    world.query("commerce", "update product set name = 'before' where id = 1")
    position = world.cluster.position("commerce", "0")
    world.query("commerce", "update product set name = 'after' where id = 1")
    world.cluster.wait_for_replicas()
    return position


def _purge(world, tablet):
    """Drops all binlogs so far."""
    with world.cluster.connect_mysqld(tablet) as connection:
        sql.query(connection, "flush binary logs")
        last = sql.query(connection, "show binary logs")[-1][0]
        sql.query(connection, f"purge binary logs to '{last}'")
        kept = sql.query(connection, "show binary logs")
    expect(len(kept) == 1, f"{tablet.alias} still has {kept}")


def _expect_lost(world, position, *more):
    result = world.vstream.run(*_tail(position), *more, seconds=30)  # VTGate alone would take 90 s
    expect(result.code == 76 and not result.stdout, result)
    _expect_told_lost(result)


def _expect_told_lost(result):
    told = result.stderr.decode()
    expect(all(word in told for word in ("commerce/0", "lost", "--from copy", "position")), result)
    expect("newer position" in told, f"the other way out is not named\n{result}")


def _names(lines):
    return [json.loads(line)["after"]["name"] for line in lines.splitlines()]


TESTS = [
    a_position_ahead_of_the_primary_is_lost,
    a_replica_that_lags_is_waited_for,
    a_position_purged_on_one_replica_of_two_is_served,
    a_position_purged_on_every_tablet_is_lost,
    a_position_that_is_purged_while_nobody_is_connected_is_lost,
]
