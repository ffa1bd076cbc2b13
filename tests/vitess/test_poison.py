"""A transaction that no tablet can read: {"": …} in a JSON column panics a tablet of 24.0.4 each time it meets it.

These are the last tests: no stream gets past that transaction any more without stepping over it.
"""

import json

import gtids
from check import expect

TABLE = "poison"


def a_poison_transaction_ends_the_run_with_its_name_and_can_be_stepped_over(world):
    world.query("commerce", f"create table {TABLE} (id bigint primary key, j json)")
    world.cluster.wait_for_replicas()
    world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", "commerce")
    begin = world.cluster.position("commerce", "0")
    world.query("commerce", f"""insert into {TABLE} values (1, '{{"a": 1}}'), (2, '{{"a": 2}}')""")
    before = world.cluster.position("commerce", "0")
    world.query("commerce", f"""insert into {TABLE} values (3, '{{"": 1}}')""")
    ((server, number),) = gtids.parse(world.cluster.position("commerce", "0")) - gtids.parse(before)
    for statement in (
        f"""insert into {TABLE} values (4, '{{"a": 4}}')""",
        f"""update {TABLE} set j = '{{"b": 1}}' where id = 1""",
        f"delete from {TABLE} where id = 2",
        "update product set name = 'after the poison' where id = 1",
    ):
        world.query("commerce", statement)
    start = ("tail", "commerce", "--from", f"commerce/0@{begin}")
    poison = f"commerce/0@{server}:{number}"
    _expect_poisoned(world, start, f"{server}:{number}", poison)
    for tablet_type in ("replica", "primary"):
        result = world.vstream.run(*start, "--tablet-type", tablet_type, "--skip-transaction", poison, "-e")
        expect(result.code == 0, result)
        first, *lines = (json.loads(line) for line in result.stdout.splitlines())
        expect(first == {"type": "skipped", "keyspace": "commerce", "shard": "0", "gtid": f"{server}:{number}"}, result)
        _expect_rest(world, result, lines)
    _expect_warnings(world, begin, poison)


def _expect_poisoned(world, start, transaction, place):
    result = world.vstream.run(*start, seconds=60)
    told = result.stderr.decode()
    expect(result.code == 65 and result.seconds < 60, result)
    expect(all(words in told for words in ("commerce/0", transaction, "panic", f"--skip-transaction {place}")), result)
    expect([json.loads(line)["after"]["id"] for line in result.stdout.splitlines()] == [1, 2], result)


def _expect_rest(world, result, lines):
    """All but the row of the poison transaction is as the source has it."""
    rows = {}
    for line in lines:
        if line["table"] == TABLE:
            rows.pop((line.get("before") or line["after"])["id"], None)
            if "after" in line:
                rows[line["after"]["id"]] = line["after"]["j"]
    held = {int(id_): json.loads(j) for id_, j in world.query("commerce", f"select id, j from {TABLE} where id <> 3")}
    expect(rows == held and set(held) == {1, 4}, f"{rows} instead of {held}\n{result}")
    expect(lines[-1]["after"]["name"] == "after the poison", result)


def _expect_warnings(world, begin, poison):
    """What cannot be skipped is refused, or warned about when there is nothing to skip."""
    server = poison.partition("@")[2].partition(":")[0]
    for skipped, words in (
        (f"commerce/0@{server}:99999999", "never had"),
        (f"commerce/0@{server}:1-2", "not one transaction"),
        (f"customer/-80@{server}:1", "not streamed"),
    ):
        result = world.vstream.run("tail", "commerce", "--skip-transaction", skipped, seconds=30)
        expect(result.code == 64 and words in result.stderr.decode() and not result.stdout, result)
    behind = world.cluster.position("commerce", "0")
    for start in (f"commerce/0@{behind}", "copy"):
        result = world.vstream.run(
            "tail", f"commerce.{TABLE}", "--from", start, "--skip-transaction", poison, "-e", "--emit", "+end"
        )
        expect(result.code == 0 and "nothing to skip" in result.stderr.decode(), result)
        expect(b"skipped" not in result.stdout, result)


TESTS = [a_poison_transaction_ends_the_run_with_its_name_and_can_be_stepped_over]
