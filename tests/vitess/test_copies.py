"""A copy of eight tables that are written to all the time is interrupted again and again, and is complete."""

import random

from chaos.faults import another_primary_is_chosen, the_streamed_tablet_dies, vtgate_dies
from chaos.following import Following, FollowingKept
from chaos.proxy import Proxy
from chaos.tables import WRITTEN, Database
from chaos.writers import Writers
from check import expect

KEYSPACE = "customer"
ALWAYS = ("a_big", "c_no_key")  # each is interrupted in its middle, at least once
RATE = 3_000_000  # bytes a second of the connection
GAPS = (0, 0, 0.5, 2)  # seconds for which nobody can connect after a cut: time for changes of what was copied


def a_copy_survives_cut_connections(world):
    _copy(world, "replica", big=30_000, no_key=10_000, other=1500, cuts=4)


def a_long_copy_from_replicas_survives_cuts_deaths_and_a_failover(world):
    _copy(world, "replica", big=500_000, no_key=60_000, other=5000, cuts=6, faults=LONG_FAULTS)


def a_long_copy_from_primaries_survives_cuts_deaths_and_a_failover(world):
    _copy(world, "primary", big=500_000, no_key=60_000, other=5000, cuts=6, faults=LONG_FAULTS)


def a_copy_survives_kills_of_its_consumer(world):
    _kept_copy(world, "replica", big=30_000, no_key=10_000, other=1500, kills=3, cuts=2)


def a_long_copy_from_replicas_survives_kills_of_its_consumer(world):
    _kept_copy(world, "replica", big=500_000, no_key=60_000, other=5000, kills=5, cuts=3, faults=TABLET_DEATHS)


def a_long_copy_from_primaries_survives_kills_of_its_consumer(world):
    _kept_copy(world, "primary", big=500_000, no_key=60_000, other=5000, kills=5, cuts=3, faults=TABLET_DEATHS)


TABLET_DEATHS = (the_streamed_tablet_dies, the_streamed_tablet_dies)
LONG_FAULTS = (the_streamed_tablet_dies, the_streamed_tablet_dies, vtgate_dies, another_primary_is_chosen)


def _kept_copy(world, tablet_type, big, no_key, other, kills, cuts, faults=()):
    """The consumer is killed (-9) at random moments, and goes on from the checkpoint that it had stored."""
    chance = random.Random(f"{world.seed}/kept/{tablet_type}/{big}")
    rows = {table.name: other for table in WRITTEN} | {"a_big": big, "c_no_key": no_key}
    database = Database(world, KEYSPACE)
    database.fill(rows)
    interruptions = chance.sample([*faults, *["cut"] * cuts, *["kill"] * kills], len(faults) + cuts + kills)
    with (
        Proxy(world.cluster.grpc_port, rate=RATE) as proxy,
        Writers(database, rows, world.seed) as writers,
        FollowingKept(database, f"kept-{tablet_type}", tablet_type, port=proxy.port) as stream,
    ):
        for (table, count), interruption in zip(_moments(chance, rows, len(interruptions)), interruptions):
            stream.wait_for(f"{count} rows of {table}", lambda fold: fold.has_copied(table, count))
            if interruption == "kill":
                stream.restart()
            elif interruption == "cut":
                _cut(proxy, stream, chance, gaps=(0,))  # a consumer that starts needs somebody to connect to
            else:
                interruption(world.cluster, KEYSPACE, chance.choice(world.shards(KEYSPACE)), tablet_type)
        stream.wait_for("the end of the copy", lambda fold: fold.is_completed)
        stream.restart()
        writers.stop()
        stream.catch_up("the writers' end")
    expect(stream.fold.copied["a_big"] and not stream.fold.copied["b_empty"], f"the stream had {stream.fold}")
    expect(set(stream.fold.restarted) <= {"c_no_key"}, f"tables with a key began anew: {stream.fold}")
    stream.expect_source(writers)


def _copy(world, tablet_type, big, no_key, other, cuts, faults=()):
    chance = random.Random(f"{world.seed}/{tablet_type}/{big}")
    rows = {table.name: other for table in WRITTEN} | {"a_big": big, "c_no_key": no_key}
    database = Database(world, KEYSPACE)
    database.fill(rows)
    start = (KEYSPACE, "--from", "copy", "--tablet-type", tablet_type)
    interruptions = chance.sample([*faults, *[None] * cuts], len(faults) + cuts)
    with (
        Proxy(world.cluster.grpc_port, rate=RATE) as proxy,
        Writers(database, rows, world.seed) as writers,
        Following(database, f"copy-{tablet_type}", *start, strict=False, port=proxy.port) as stream,
    ):
        for (table, count), fault in zip(_moments(chance, rows, len(interruptions)), interruptions):
            stream.wait_for(f"{count} rows of {table}", lambda fold: fold.has_copied(table, count))
            if fault:
                fault(world.cluster, KEYSPACE, chance.choice(world.shards(KEYSPACE)), tablet_type)
            else:
                _cut(proxy, stream, chance)
        stream.wait_for("the end of the copy", lambda fold: fold.is_completed)
        writers.stop()
        stream.catch_up("the writers' end")
        stream.stop()
    expect(stream.fold.copied["a_big"] and not stream.fold.copied["b_empty"], f"the stream had {stream.fold}")
    stream.expect_source(writers)


def _moments(chance, rows, count):
    """When to interrupt: (table, so many of its rows copied), in the order in which tables are copied."""
    middles = [*ALWAYS, *chance.choices(ALWAYS, k=count // 3)]
    anywhere = chance.choices(list(rows), k=count - len(middles))
    return sorted(
        [(table, int(rows[table] * chance.uniform(0.05, 0.9))) for table in middles]
        + [(table, int(rows[table] * chance.choice((0, chance.random())))) for table in anywhere]
    )


def _cut(proxy, stream, chance, gaps=GAPS):
    before = proxy.cuts
    proxy.cut_after(chance.randrange(1, 150_000), gap=chance.choice(gaps))
    stream.wait_for("the cut of the connection", lambda _: proxy.cuts > before)


TESTS = [a_copy_survives_cut_connections, a_copy_survives_kills_of_its_consumer]
LONG_TESTS = [
    a_long_copy_from_replicas_survives_cuts_deaths_and_a_failover,
    a_long_copy_from_primaries_survives_cuts_deaths_and_a_failover,
    a_long_copy_from_replicas_survives_kills_of_its_consumer,
    a_long_copy_from_primaries_survives_kills_of_its_consumer,
]
