"""A target that no server can bring any more. Its primary has a gap then: a new tablet cannot follow it from the start."""

from check import expect
from rig import sql
from test_until import expect_unreachable


def a_target_that_only_the_primary_had_is_no_hang(world):
    """Its binlog is gone: no replica will ever get it."""
    tablets = world.cluster.tablets_of("commerce", "0")
    errant = "0e0e0e0e-0000-0000-0000-000000000001:1"
    begin = f"commerce/0@{world.cluster.position('commerce', '0')}"
    try:
        _purged_there(world, tablets[0], errant)
        expect_unreachable(world.vstream.run("tail", "commerce", "--from", begin, "-e", seconds=30), errant)
    finally:  # the others learn of it as well: the shard is whole again
        for tablet in tablets[1:]:
            _purged_there(world, tablet, errant)
    world.query("commerce", "update product set name = 'after' where id = 1")
    begin = f"commerce/0@{world.cluster.position('commerce', '0')}"
    result = world.vstream.run("tail", "commerce", "--from", begin, "-e", seconds=60)
    expect(result.code == 0, result)


def _purged_there(world, tablet, transaction):
    with world.cluster.connect_mysqld(tablet) as connection:
        sql.query(connection, f"set global gtid_purged = '+{transaction}'")


TESTS = [a_target_that_only_the_primary_had_is_no_hang]
