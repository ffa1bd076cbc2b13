"""What vstream streams from dies again and again while rows are written: no change may be lost or come twice."""

import random

from chaos.faults import DEATHS, HANGS, another_primary_is_chosen
from chaos.following import Following
from chaos.tables import WRITTEN, Database
from chaos.writers import Writers, write_much
from check import expect

KEYSPACE = "customer"
ROWS = 300  # in each table: few, so that the same rows change often


def changes_survive_each_kind_of_death(world):
    _changes(world, "replica", [*DEATHS, another_primary_is_chosen])


def changes_from_primaries_survive_many_deaths(world):
    _changes(world, "primary", 2 * DEATHS + HANGS + 3 * [another_primary_is_chosen])


def changes_from_replicas_survive_many_deaths(world):
    _changes(world, "replica", 2 * DEATHS + HANGS + 3 * [another_primary_is_chosen])


def a_reader_that_pauses_loses_nothing(world):
    _pause(world, seconds=15)


def a_reader_that_pauses_for_long_loses_nothing(world):
    _pause(world, seconds=40)


def _pause(world, seconds):
    """Longer than the liveness timeout, with more rows than fit in between: that is no fault of the stream."""
    database = Database(world, KEYSPACE)
    with Following(database, "pause", KEYSPACE, "--from", database.begin, strict=True) as stream:
        stream.catch_up("the start")
        with stream.unread():
            written = write_much(database, seconds)
        stream.catch_up("the pause")
        stream.stop()
    expect(written > 5_000_000, f"only {written} bytes were written")
    requests = stream.said().count("vstream: request: ")
    expect(requests == 1, lambda: f"{requests} requests instead of one\n{stream.seen()}")
    stream.expect_source("one writer")


def _changes(world, tablet_type, faults):
    """The faults in random order, each on a random shard, each once the stream has caught up after the one before."""
    chance = random.Random(f"{world.seed}/{tablet_type}")
    rows = {table.name: ROWS for table in WRITTEN}
    database = Database(world, KEYSPACE)
    start = (KEYSPACE, "--from", database.begin, "--tablet-type", tablet_type)
    with Following(database, f"changes-{tablet_type}", *start, strict=True) as stream:
        database.fill(rows)
        with Writers(database, rows, world.seed) as writers:
            stream.catch_up("the writers' start")
            for fault in chance.sample(faults, len(faults)):
                shard = chance.choice(world.shards(KEYSPACE))
                fault(world.cluster, KEYSPACE, shard, tablet_type)
                stream.catch_up(f"{fault.__name__} on {shard}")
        stream.catch_up("the writers' end")
        stream.stop()
    expect(all(stream.fold.ops[op] for op in "cud"), f"the stream had {stream.fold}")
    stream.expect_source(writers)


TESTS = [changes_survive_each_kind_of_death, a_reader_that_pauses_loses_nothing]
LONG_TESTS = [
    changes_from_primaries_survive_many_deaths,
    changes_from_replicas_survive_many_deaths,
    a_reader_that_pauses_for_long_loses_nothing,
]
