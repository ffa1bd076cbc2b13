"""Streams that end at a target: what is printed is exactly what the target contains, whatever is written meanwhile."""

import json
import random

import gtids
from chaos.tables import Database
from chaos.writers import Writers
from check import expect
from rig import control, sql

KEYSPACE = "customer"
ROWS = {name: 300 for name in ("a_big", "c_no_key", "d_pair", "do.t", "e_unique", "we ird")}
LINES = ("--emit", "+commit,+other,+end")  # with these every transaction has a line


def a_target_is_reached_exactly(world):
    _many_runs(world, runs=6)


def a_target_is_reached_exactly_a_hundred_times(world):
    _many_runs(world, runs=100, reparent_every=15)


def _many_runs(world, runs, reparent_every=None):
    chance = random.Random(f"{world.seed}/until")
    database = Database(world, KEYSPACE)
    database.fill(ROWS)
    seen = []
    with Writers(database, ROWS, world.seed) as writers:
        for number in range(runs):
            if reparent_every and number % reparent_every == reparent_every - 1:
                control.reparent(world.cluster, KEYSPACE, chance.choice(world.shards(KEYSPACE)))
            how = (_at_the_end, _at_a_position, _at_a_position_to_come)[number % 3]
            seen.append(_one_run(world, database, writers, how, chance.choice(("replica", "primary"))))
    if len(seen) > 20:
        print(f"      {len(seen)} runs, {sum(map(len, seen))} transactions in all, {writers}", flush=True)
    _expect_same_lines(world, database, seen)


def _one_run(world, database, writers, how, tablet_type):
    """{(shard, gtid): its lines} of a run from now to some target, which is checked transaction by transaction."""
    begin = database.position()
    _wait_for_writes(world, writers, 30)
    option, target = how(world, database, writers)
    before = database.position()
    result = world.vstream.run(
        "tail", KEYSPACE, "--from", begin, *option, *LINES, "--tablet-type", tablet_type, seconds=120
    )
    expect(result.code == 0, result)
    *lines, end = (json.loads(line) for line in result.stdout.decode().splitlines())
    if target is None:  # it says itself what it has asked for
        target = next(line for line in result.stderr.decode().splitlines() if line.startswith("vstream: until ")).split()[2]
        _expect_between(before, target, database.position())
    expect(end["type"] == "end" and end["reason"] == ("at_end" if option == ("-e",) else "until"), result)
    stopped = {entry["shard"]: gtids.parse(entry["gtid"]) for entry in end["vgtid"]}
    transactions = _by_transaction(lines)
    begins, targets = gtids.by_shard(begin), gtids.by_shard(target)
    for shard in world.shards(KEYSPACE):
        printed = {tuple(gtid.split(":")) for place, gtid in transactions if place == shard}
        printed = {(server, int(number)) for server, number in printed}
        wanted = targets[shard] - begins[shard]
        said = f"run {option} from {begin}, shard {shard}"
        expect(printed == wanted, lambda: _difference(said, printed, wanted))
        expect(stopped[shard] == begins[shard] | wanted, lambda: _difference(said + ", end", stopped[shard], wanted))
    return transactions


def _at_the_end(*_):
    return ("-e",), None


def _at_a_position(world, database, writers):
    """Of different moments on the shards; more is written before the stream begins."""
    parts = []
    for shard in world.shards(KEYSPACE):
        parts.append(f"{KEYSPACE}/{shard}@{world.cluster.position(KEYSPACE, shard)}")
        _wait_for_writes(world, writers, 20)
    return ("--until", ",".join(parts)), ",".join(parts)


def _at_a_position_to_come(world, database, _):
    """The primary's next fifty transactions as well."""
    parts = []
    for shard in world.shards(KEYSPACE):
        primary = world.cluster.primary(KEYSPACE, shard)
        server = world.cluster.query_mysqld(primary, "select @@global.server_uuid")
        position = world.cluster.position(KEYSPACE, shard)
        last = max(number for uuid, number in gtids.parse(position) if uuid == server)
        parts.append(f"{KEYSPACE}/{shard}@{position},{server}:{last + 1}-{last + 50}")
    return ("--until", ",".join(parts)), ",".join(parts)


def _wait_for_writes(world, writers, count):
    enough = writers.done + count
    world.cluster.wait(f"{count} transactions", lambda: writers.done >= enough)


def _expect_between(before, target, after):
    before, target, after = map(gtids.by_shard, (before, target, after))
    for shard, held in target.items():
        expect(before[shard] <= held <= after[shard], f"the end of {shard} is not what its primary had meanwhile")


def _expect_same_lines(world, database, seen):
    """Whatever run a transaction was in, its lines are those of one stream over all."""
    result = world.vstream.run("tail", KEYSPACE, "--from", database.begin, "-e", *LINES, seconds=240)
    expect(result.code == 0, result)
    all_lines = _by_transaction(json.loads(line) for line in result.stdout.decode().splitlines()[:-1])
    for transactions in seen:
        for place, lines in transactions.items():
            expect(lines == all_lines.get(place), lambda: f"{place}: {lines}\ninstead of {all_lines.get(place)}")


def _by_transaction(lines):
    """{(shard, gtid): lines}. The times of commits are left out: a primary and its replicas have different ones [seen]."""
    transactions = {}
    for line in lines:
        if line["type"] == "commit":
            del line["ts_ms"]
        transactions.setdefault((line["shard"], line["gtid"]), []).append(line)
    return transactions


def _difference(said, printed, wanted):
    extra, missing = gtids.to_text(printed - wanted), gtids.to_text(wanted - printed)
    return f"{said}\nnot wanted: {extra}\nmissing: {missing}"


def a_copy_goes_on_to_the_end_that_was_asked_for_first(world):
    database = Database(world, KEYSPACE)
    database.fill(ROWS)
    with Writers(database, ROWS, world.seed):
        before = gtids.by_shard(database.position())
        result = world.vstream.run("tail", KEYSPACE, "--from", "copy", "--until", "current", *LINES, seconds=120)
    expect(result.code == 0, result)
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    expect({"type": "copy_completed"} in lines and lines[-1]["reason"] == "at_end", result)
    for entry in lines[-1]["vgtid"]:
        expect(gtids.parse(entry["gtid"]) >= before[entry["shard"]], result)
    copied = sum(line["type"] == "row" and line["op"] == "r" for line in lines)
    expect(copied > len(ROWS) * 200, f"only {copied} rows were copied\n{result}")


def idle_shards_are_done_without_an_event(world):
    database = Database(world, KEYSPACE)
    database.fill(ROWS)
    start = database.position()
    result = world.vstream.run("tail", KEYSPACE, "--from", start, "-e", *LINES)
    expect(result.code == 0 and [json.loads(line)["type"] for line in result.stdout.splitlines()] == ["end"], result)
    # One is written to, the other is not.
    world.query(f"{KEYSPACE}:-80", "update a_big set n = n + 1")
    result = world.vstream.run("tail", KEYSPACE, "--from", start, "-e", *LINES)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    expect(result.code == 0 and len(lines) > 1 and {line.get("shard", "-80") for line in lines} == {"-80"}, result)


def a_deadline_before_the_target_is_told_by_the_exit_code(world):
    position = f"commerce/0@{world.cluster.position('commerce', '0')}"
    server = world.cluster.query_mysqld(world.cluster.primary("commerce", "0"), "select @@global.server_uuid")
    goal = ("--from", position, "--until", f"{position},{server}:1-1000000")
    for deadline, reason in (("--duration", "duration"), ("--idle-timeout", "idle")):
        result = world.vstream.run("tail", "commerce", *goal, deadline, "4s", "--emit", "end")
        expect(result.code == 1 and json.loads(result.stdout)["reason"] == reason, result)
    result = world.vstream.run("tail", "commerce", "--from", position, "--idle-timeout", "4s", "--emit", "end")
    expect(result.code == 0 and json.loads(result.stdout)["reason"] == "idle", result)


def an_errant_transaction_of_a_replica_is_no_hang(world):
    """It was made on one replica, by a slip of the hand: no other server will ever have it."""
    begin = f"commerce/0@{world.cluster.position('commerce', '0')}"
    with control.another_replica(world.cluster, "commerce", "0") as replica:
        errant = _make_errant(world, replica)
        world.query("commerce", "update product set name = 'regular' where id = 1")
        target = f"commerce/0@{world.cluster.position('commerce', '0')},{errant}"
        start = ("tail", "commerce", "--from", begin)
        result = world.vstream.run(*start, "--until", target, "--tablet-type", "primary", seconds=30)
        expect_unreachable(result, errant)
        # From replicas it depends on which one VTGate has chosen.
        result = world.vstream.run(*start, "--until", target, seconds=60)
        expect(result.code in (0, 76), result)
        if result.code == 76:
            expect_unreachable(result, errant)
        for _ in range(4):
            result = world.vstream.run(*start, "-e", *LINES, seconds=60)
            expect(result.code == 0 and b"regular" in result.stdout, result)
            expect(errant.partition(":")[0].encode() not in result.stdout, f"the errant one was printed\n{result}")


def what_is_no_target_is_refused(world):
    commerce = f"commerce/0@{world.cluster.position('commerce', '0')}"
    for code, words, arguments in (
        (64, "from now until now", ("commerce", "-e")),
        (64, "from now until now", ("commerce", "--from", "current", "--until", "current")),
        (64, "80-", ("customer", "--until", f"customer/-80@{world.cluster.position('customer', '-80')}")),
        (64, "-40", ("commerce", "--until", f"{commerce},other/-40@{'0' * 8}-0000-0000-0000-{'0' * 12}:1")),
    ):
        result = world.vstream.run("tail", *arguments)
        expect(result.code == code and words in result.stderr.decode() and not result.stdout, result)


def _make_errant(world, tablet):
    with world.cluster.connect_mysqld(tablet) as connection:
        sql.query(connection, "set global super_read_only = 0")
        sql.query(connection, "insert into vt_commerce.product (id, name) values (987654321, 'errant')")
        sql.query(connection, "set global super_read_only = 1")
        server = sql.query(connection, "select @@global.server_uuid")[0][0]
        executed = sql.query(connection, "select @@global.gtid_executed")[0][0]
    numbers = [number for uuid, number in gtids.parse(executed) if uuid == server]
    return f"{server}:{max(numbers)}"


def expect_unreachable(result, transaction):
    told = result.stderr.decode()
    expect(result.code == 76 and "cannot be reached" in told and transaction in told, result)


TESTS = [
    what_is_no_target_is_refused,
    a_target_is_reached_exactly,
    idle_shards_are_done_without_an_event,
    a_copy_goes_on_to_the_end_that_was_asked_for_first,
    a_deadline_before_the_target_is_told_by_the_exit_code,
    an_errant_transaction_of_a_replica_is_no_hang,
]
LONG_TESTS = [a_target_is_reached_exactly_a_hundred_times]
