"""The commands that users type, on the real cluster: what comes out, how they end."""

import collections
import json
import os
import signal

from check import expect
from world import TABLES, Writing


def count_ends_after_that_many_rows(world):
    with Writing(world):
        result = world.vstream.run("tail", "commerce", "-c", "5")
    lines = _lines(result)
    expect(result.code == 0 and [line["type"] for line in lines] == ["row"] * 5, result)
    expect(all((line["keyspace"], line["table"]) == ("commerce", "product") for line in lines), result)


def copy_brings_every_row_of_every_table(world):
    result = world.vstream.run("tail", "commerce", "--from", "copy", "--until", "copy-completed")
    expect(result.code == 0, result)
    lines = _lines(result)
    rows = collections.Counter(line["table"] for line in lines if line["type"] == "row")
    for table in TABLES["commerce"]:
        held = int(world.query("commerce", f"select count(*) from {table}")[0][0])
        expect(
            rows[table] == held,
            f"{rows[table]} rows of {table}, the source has {held}\nstderr:\n{result.stderr.decode()}",
        )
    done = [line for line in lines if line["type"] == "copy_completed"]
    expect(done == [{"type": "copy_completed", "keyspace": "commerce", "shard": "0"}, {"type": "copy_completed"}], done)
    expect(lines[-1] == done[-1], f"the last line is {lines[-1]}")


def output_goes_through_jq(world):
    with Writing(world):
        result = world.vstream.pipeline(["tail", "commerce", "-c", "40"], "jq -c 'select(.op==\"u\") | .after'")
    rows = _lines(result)
    expect(result.code == 0 and rows and all(list(row) == ["id", "name", "price"] for row in rows), result)


def head_ends_it_quietly(world):
    with Writing(world):
        result = world.vstream.pipeline(["tail", "commerce"], "head -n 3")
    expect(result.code == 0 and len(_lines(result)) == 3, result)
    expect(b"roken pipe" not in result.stderr and b"error" not in result.stderr.lower(), result)


def an_interrupt_ends_it_cleanly(world):
    _signal_while_streaming(world, signal.SIGINT)


def a_termination_ends_it_cleanly(world):
    _signal_while_streaming(world, signal.SIGTERM)


def an_idle_stream_ends_at_a_signal(world):
    stream = world.vstream.start("tail", "commerce.no_rows", "--emit", "+heartbeat")
    try:
        expect(stream.next_line() is not None, lambda: stream.wait())
        stream.signal(signal.SIGTERM)
        result = stream.wait()
    finally:
        stream.kill()
    expect(result.code == 0 and all(line["type"] == "heartbeat" for line in _lines(result)), result)


def _signal_while_streaming(world, number):
    with Writing(world):
        stream = world.vstream.start("tail", "commerce")
        try:
            expect(stream.next_line() is not None, lambda: stream.wait())
            stream.signal(number)
            result = stream.wait()
        finally:
            stream.kill()
    expect(result.code == 0 and result.stdout.endswith(b"}\n"), result)
    _lines(result)


def a_duration_is_a_good_end(world):
    result = world.vstream.run("tail", "commerce.no_rows", "--duration", "2s")
    expect(result.code == 0 and not result.stdout, result)


def a_duration_that_cuts_a_count_short_is_not(world):
    with Writing(world):
        result = world.vstream.run("tail", "commerce", "-c", "1000000", "--duration", "2s")
    expect(result.code == 1, result)
    _lines(result)


def no_tablet_of_that_type_is_told_at_once(world):
    result = world.vstream.run(
        "tail", "commerce", "--tablet-type", "rdonly", seconds=30
    )  # VTGate itself would try for 90 s
    expect(result.code == 69 and not result.stdout, result)
    told = result.stderr.decode().lower()
    expect(
        told.startswith("vstream: ") and all(word in told for word in ("rdonly", "commerce", "primary", "replica")),
        result,
    )


def the_primary_can_be_streamed(world):
    with Writing(world):
        result = world.vstream.run("tail", "customer", "--tablet-type", "primary", "-c", "30")
    expect(result.code == 0 and len(_lines(result)) == 30, result)


def one_shard_and_table_can_be_selected(world):
    with Writing(world):
        result = world.vstream.run("tail", "customer/-80.customer", "-c", "12")
    expect(result.code == 0, result)
    held = {str(row[0]) for row in world.query("customer:-80", "select id from customer")}
    for line in _lines(result):
        expect((line["shard"], line["table"]) == ("-80", "customer") and str(line["after"]["id"]) in held, line)


def a_file_is_appended_to(world):
    path = world.cluster.run.folder / "lines.jsonl"
    with Writing(world):
        for _ in range(2):
            result = world.vstream.run("tail", "commerce", "-c", "3", "-o", str(path))
            expect(result.code == 0 and not result.stdout, result)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    expect(len(lines) == 6 and all(line["type"] == "row" for line in lines), lines)
    os.unlink(path)


def a_position_brings_exactly_what_came_after_it(world):
    begin = {shard: world.cluster.position("customer", shard) for shard in world.shards("customer")}
    for number in range(3):
        world.query("customer", f"update corder set sku = 'sku {number}' where id between 1 and 30")
    start = ",".join(f"customer/{shard}@{gtid}" for shard, gtid in begin.items())
    result = world.vstream.run("tail", "customer.corder", "--from", start, "-c", "90")
    expect(result.code == 0, result)
    last = {}
    for line in _lines(result):
        id_, sku = line["after"]["id"], line["after"]["sku"]
        expect(sku == f"sku {last.get(id_, -1) + 1}", f"row {id_} became {sku!r} out of turn\n{result}")
        last[id_] = int(sku[4:])
    expect(last == {n: 2 for n in range(1, 31)}, last)


def a_position_can_come_from_a_file(world):
    gtid = world.cluster.position("commerce", "0")
    world.query("commerce", "update product set name = 'from a file' where id = 1")
    path = world.cluster.run.folder / "position.json"
    path.write_text(json.dumps([{"keyspace": "commerce", "shard": "0", "gtid": gtid}]))
    result = world.vstream.run("tail", "commerce.product", "--from", f"@{path}", "-c", "1")
    expect(result.code == 0 and _lines(result)[0]["after"]["name"] == "from a file", result)


def a_rolled_back_transaction_is_never_seen(world):
    gtid = world.cluster.position("commerce", "0")
    with world.connect("commerce") as connection:
        for statement in (
            "begin",
            "update product set name = 'never' where id = 2",
            "rollback",
            "begin",
            "update product set name = 'kept 1' where id = 3",
            "update product set name = 'kept 2' where id = 4",
            "commit",
        ):
            with connection.cursor() as cursor:
                cursor.execute(statement)
    result = world.vstream.run(
        "tail", "commerce.product", "--from", f"commerce/0@{gtid}", "-c", "2", "--emit", "+begin,+commit"
    )
    lines = _lines(result)
    expect(result.code == 0 and [line["type"] for line in lines[:3]] == ["begin", "row", "row"], result)
    rows = [line for line in lines if line["type"] == "row"]
    expect([(line["after"]["name"], line["n"]) for line in rows] == [("kept 1", 0), ("kept 2", 1)], result)
    expect(len({line["gtid"] for line in rows}) == 1, result)


def raw_lines_are_the_responses(world):
    with Writing(world):
        result = world.vstream.run("tail", "commerce", "--format", "raw", "-c", "2")
    events = [event for line in _lines(result) for event in line["events"]]
    expect(result.code == 0 and {"ROW", "VGTID", "COMMIT"} <= {event["type"] for event in events}, result)


def a_ddl_is_told(world):
    gtid = world.cluster.position("commerce", "0")
    world.query("commerce", "alter table no_rows add column more int")
    world.query("commerce", "insert into no_rows values (1, 2)")
    world.query("commerce", "delete from no_rows")
    result = world.vstream.run("tail", "commerce", "--from", f"commerce/0@{gtid}", "-c", "2")
    lines = _lines(result)
    expect(result.code == 0 and [line["type"] for line in lines] == ["ddl", "row", "row"], result)
    expect("alter table" in lines[0]["statement"].lower() and lines[1]["after"] == {"id": 1, "more": 2}, result)


def a_ddl_that_is_not_utf8_ends_nothing(world):
    # MySQL logs what it was sent, and VTGate passes it on; protobuf's own parser would refuse it for ever.
    gtid = world.cluster.position("commerce", "0")
    world.query("commerce", b"alter table no_rows comment 'caf\xe9'")
    world.query("commerce", "insert into no_rows (id) values (1)")
    world.query("commerce", "delete from no_rows")
    start = ("tail", "commerce", "--from", f"commerce/0@{gtid}", "-c", "2")
    result = world.vstream.run(*start)
    lines = _lines(result)
    expect(result.code == 0 and [line["type"] for line in lines] == ["ddl", "row", "row"], result)
    expect("caf\ufffd" in lines[0]["statement"], result)
    raw = world.vstream.run(*start, "--format", "raw")
    expect(raw.code == 0 and "caf?" in raw.stdout.decode(), raw)


def _lines(result):
    """stdout as parsed lines; anything that is not one is a failure."""
    try:
        return [json.loads(line) for line in result.stdout.decode().splitlines()]
    except ValueError as error:
        expect(False, f"{error}\n{result}")


TESTS = [
    count_ends_after_that_many_rows,
    copy_brings_every_row_of_every_table,
    output_goes_through_jq,
    head_ends_it_quietly,
    an_interrupt_ends_it_cleanly,
    a_termination_ends_it_cleanly,
    an_idle_stream_ends_at_a_signal,
    a_duration_is_a_good_end,
    a_duration_that_cuts_a_count_short_is_not,
    no_tablet_of_that_type_is_told_at_once,
    the_primary_can_be_streamed,
    one_shard_and_table_can_be_selected,
    a_file_is_appended_to,
    a_position_brings_exactly_what_came_after_it,
    a_position_can_come_from_a_file,
    a_rolled_back_transaction_is_never_seen,
    raw_lines_are_the_responses,
    a_ddl_is_told,
    a_ddl_that_is_not_utf8_ends_nothing,
]
