"""Every form of selection on the real cluster, from a copy and from the binlog: what comes, and what does not."""

import collections
import contextlib
import json

from chaos.proxy import Proxy
from check import expect
from rig import sql

KEYSPACE = "commerce"
PLAIN = "(id bigint primary key, v int, s varchar(40))"


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


@contextlib.contextmanager
def tables(world, definitions):
    """These tables exist while it is open, with three rows each if they have the plain columns."""
    for name, definition in definitions.items():
        world.query(KEYSPACE, f"create table {quoted(name)} {definition}")
        if definition == PLAIN:
            world.query(KEYSPACE, f"insert into {quoted(name)} values (1, 10, 'one'), (2, 20, 'two'), (3, null, null)")
    settle(world)
    try:
        yield
    finally:
        for name in definitions:
            world.query(KEYSPACE, f"drop table if exists {quoted(name)}")
        settle(world)


def settle(world):
    """Replicas have what primaries have, and know their tables."""
    world.cluster.wait_for_replicas()
    world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)


def start_here(world):
    return f"{KEYSPACE}/0@{world.cluster.position(KEYSPACE, '0')}"


def parsed(result, code=0):
    expect(result.code == code, result)
    return [json.loads(line) for line in result.stdout.splitlines()]


def copied(world, *arguments):
    """{table: ids} of a whole copy."""
    result = world.vstream.run("tail", *arguments, "--from", "copy", "--until", "copy-completed")
    rows = collections.defaultdict(list)
    for line in parsed(result):
        if line["type"] == "row":
            rows[line["table"]].append(line["after"]["id"])
    return {table: sorted(ids) for table, ids in rows.items()}


def inserted(world, names):
    """Inserts a row 4 into each, and a row 5 into the last one, which comes after all that may come before."""
    for name in names:
        world.query(KEYSPACE, f"insert into {quoted(name)} values (4, 40, 'four')")
    world.query(KEYSPACE, f"insert into {quoted(names[-1])} values (5, 50, 'five')")


def streamed(world, position, count, *arguments):
    result = world.vstream.run("tail", *arguments, "--from", position, "-c", str(count), "--emit", "row")
    return [(line["table"], line["after"]["id"]) for line in parsed(result)]


def names_and_expressions_take_exactly_their_tables(world):
    """O11, P4: `orders` brings neither `orders_2023` nor `my_orders`."""
    names = ["my_orders", "orders_2023", "orders"]
    selections = [
        (["commerce.orders"], ["orders"]),
        (["commerce./orders/"], ["orders"]),
        (["commerce./orders.*/"], ["orders_2023", "orders"]),
        (["commerce./(?i).*ORDERS|nothing/"], ["my_orders", "orders"]),
        (["commerce./.*orders.*/", "--exclude", "commerce./orders_[0-9]+/"], ["my_orders", "orders"]),
        (["commerce./.*orders.*/", "--exclude", "commerce.my_orders"], ["orders_2023", "orders"]),
    ]
    with tables(world, dict.fromkeys(names, PLAIN)):
        position = start_here(world)
        inserted(world, names)
        world.cluster.wait_for_replicas()
        for arguments, wanted in selections:
            rows = streamed(world, position, len(wanted) + 1, *arguments)
            expect(rows == [(name, 4) for name in wanted] + [("orders", 5)], f"{arguments} streamed {rows}")
        for arguments, wanted in selections[2:]:
            expect(set(copied(world, *arguments)) == set(wanted), f"{arguments} did not copy exactly {wanted}")


def names_hold_dots_quotes_backticks_and_other_letters(world):
    """O11, O12: also one that looks as if the keyspace stood before it, and one that looks like an expression."""
    names = ["we`ird's \"t\".x", "größe.日本", "a:b", "/slash", "commerce.inner", "x+y$", "last one"]
    with tables(world, dict.fromkeys(names, PLAIN)):
        position = start_here(world)
        inserted(world, names)
        world.cluster.wait_for_replicas()
        selectors = [f"commerce.{name}" for name in names]
        rows = streamed(world, position, len(names) + 1, *selectors)
        expect(rows == [(name, 4) for name in names] + [(names[-1], 5)], rows)
        for arguments in (selectors[1:], ["commerce./[^`]*[^a-z_`][^`]*/"]):
            got = copied(world, *arguments)
            expect(got == {name: [1, 2, 3, 4] for name in names[1:-1]} | {names[-1]: [1, 2, 3, 4, 5]}, got)
        for arguments in (selectors[:1], ["commerce"]):  # the server would try for ever
            result = world.vstream.run("tail", *arguments, "--from", "copy", "--until", "copy-completed")
            expect(result.code == 69 and b"holds a backtick" in result.stderr and not result.stdout, result)
        got = copied(world, "commerce.größe.日本", "--columns", "commerce.größe.日本: id", "commerce.a:b", "--where",
                     "commerce.`a:b`: id > 2")
        expect(got == {"größe.日本": [1, 2, 3, 4], "a:b": [3, 4]}, got)


def a_table_that_is_made_later_is_streamed_if_it_matches(world):
    with tables(world, {"later_0": PLAIN}):
        stream = world.vstream.start("tail", "commerce./later_.*/", "--from", start_here(world), "--emit", "row")
        try:
            stream.wait_for_talk(b"streaming commerce")
            with tables(world, {"not_later_1": PLAIN, "later_1": PLAIN}):
                inserted(world, ["not_later_1", "later_1"])
                rows = [json.loads(stream.next_line()) for _ in range(5)]
        finally:
            stream.kill()
    got = [(row["table"], row["after"]["id"]) for row in rows]
    expect(got == [("later_1", n) for n in range(1, 6)], got)


def a_table_that_is_made_during_a_copy_is_copied_if_it_matches(world):
    with tables(world, {"early_a": PLAIN, "early_b": PLAIN}):
        stream = world.vstream.start(
            "tail", "commerce./early_.*/", "--from", "copy", "--until", "copy-completed", "--emit", "row"
        )
        try:
            first = stream.next_line()
            with tables(world, {"early_c": PLAIN, "other_c": PLAIN}):
                result = stream.wait(120)
        finally:
            stream.kill()
    expect(first is not None, result)
    seen = {(row["table"], row["after"]["id"]) for row in parsed(result)}
    expect(seen == {(table, n) for table in ("early_a", "early_b", "early_c") for n in (1, 2, 3)}, result)


CONDITIONS = [
    "v = 10",
    "v != 10 and id < 9",
    "(v <> 10) AND (id >= 2)",
    "v in (10, 30, -5)",
    "v between 10 and 20 and s = 'two'",
    "v not between 10 and 20",
    "v is null",
    "s is not null and s != 'it''s'",
    "v in (-5)",
    "v > 10.5 and v < 3e1",
    "s = 'größe'",
    "d > '2026-01-01'",
    "s = \"a\\\"b\"",
]


def conditions_take_the_rows_that_mysql_takes(world):
    """O13: what the command line lets through, the server takes, and both see the same rows."""
    rows = "(1, 10, 'one', null), (2, 20, 'two', '2026-02-01'), (3, null, null, null), (4, -5, 'it''s', null), "
    rows += "(5, 30, 'größe', '2025-12-31'), (6, 11, 'a\"b', null)"
    with tables(world, {"cond": "(id bigint primary key, v int, s varchar(40), d date)"}):
        position = start_here(world)
        world.query(KEYSPACE, f"insert into cond values {rows}")
        world.cluster.wait_for_replicas()
        running = []
        for condition in CONDITIONS:
            held = [int(row[0]) for row in world.query(KEYSPACE, f"select id from cond where {condition} order by id")]
            where = ["commerce.cond", "--where", f"cond: {condition}", "--emit", "row"]
            count = ["--from", position, "-c", str(len(held))]
            running.append((condition, held, world.vstream.start("tail", *where, *count)))
            copy = ["--from", "copy", "--until", "copy-completed"]
            running.append((condition, held, world.vstream.start("tail", *where, *copy)))
        for condition, held, stream in running:
            got = [row["after"]["id"] for row in parsed(stream.wait(120))]
            expect(got == held, f"{condition}: {got}, MySQL has {held}")


def an_update_that_crosses_a_condition_keeps_both_images(world):
    """T12: it stays an update, whichever image holds; one that touches it nowhere does not come."""
    with tables(world, {"crossing": PLAIN}):
        position = start_here(world)
        for statement in ("v = 15 where id = 1", "v = 25 where id = 2", "v = 5 where id = 1", "v = 16 where id = 3"):
            world.query(KEYSPACE, f"update crossing set {statement}")
        where = ("--where", "commerce.crossing: v > 12 and v < 20")
        result = world.vstream.run("tail", "commerce.crossing", *where, "--from", position, "-c", "3")
        rows = [(row["op"], row["before"]["v"], row["after"]["v"]) for row in parsed(result)]
        expect(rows == [("u", 10, 15), ("u", 15, 5), ("u", None, 16)], rows)


def a_condition_that_the_server_refuses_ends_the_run_at_once(world):
    """O13: the server's words, the filter, no second try."""
    with tables(world, {"refused": PLAIN}):
        position = start_here(world)
        world.query(KEYSPACE, "update refused set v = 11 where id = 1")
        where = ("commerce.refused", "--where", "commerce.refused: in_keyrange(id, 'no_such', '-80')")
        for start in (("--from", position), ("--from", "copy")):
            result = world.vstream.run("tail", *where, *start)
            told = result.stderr.decode()
            expect(result.code == 69 and not result.stdout, result)
            expect("where (in_keyrange(id, 'no_such', '-80'))" in told and "trying again" not in told, result)


def columns_come_as_they_are_listed(world):
    with tables(world, {"narrow": PLAIN, "whole": PLAIN}):
        position = start_here(world)
        world.query(KEYSPACE, "update narrow set v = 11 where id = 1")
        world.query(KEYSPACE, "update whole set v = 11 where id = 1")
        columns = ("commerce.narrow", "commerce.whole", "--columns", "commerce.narrow: V,`s`")
        result = world.vstream.run("tail", *columns, "--from", position, "-c", "2")
        rows = [(row["table"], list(row["after"].items())) for row in parsed(result)]
        expect(rows == [("narrow", [("v", 11), ("s", "one")]), ("whole", [("id", 1), ("v", 11), ("s", "one")])], rows)
        result = world.vstream.run("tail", *columns, "--from", "copy", "--until", "copy-completed")
        rows = [list(row["after"]) for row in parsed(result) if row["type"] == "row"]
        expect(rows == [["v", "s"]] * 3 + [["id", "v", "s"]] * 3, result)


def conditions_that_a_tablet_gets_wrong_are_refused(world):
    columns = "id bigint primary key, b bit(4), e enum('x', 'y'), tm time, l varchar(9) character set latin1"
    with tables(world, {"odd": f"({columns})"}):
        world.query("commerce", "insert into odd values (1, 1, 'y', '10:00:00', 'é')")
        for condition in ("b = 1", "e = 2", "tm > '9:30:00'", "l = 'é'"):
            result = world.vstream.run("tail", "commerce.odd", "--where", f"commerce.odd: {condition}")
            expect(result.code == 64 and b"column" in result.stderr, result)
        for condition in ("e = 'y'", "tm > '09:30:00'", "l > 'a'"):
            arguments = ("--where", f"commerce.odd: {condition}", "--from", "copy", "--until", "copy-completed")
            result = world.vstream.run("tail", "commerce.odd", *arguments)
            expect(result.code == 0 and sum(row["type"] == "row" for row in parsed(result)) == 1, result)


def columns_and_tables_that_do_not_exist_are_told_with_the_nearest(world):
    with tables(world, {"narrow": PLAIN, "refused": PLAIN}):
        for arguments, words in (
            (("--columns", "commerce.narrow: id,vv"), ['no column "vv"', '"id", "v", "s"']),
            (("--where", "commerce.narrow: ss = 1"), ['no column "ss"', 'did you mean "s"']),
            (("--columns", "commerce.narow: id"), ["no such table", 'did you mean "narrow"']),
            (("--columns", "commerce.refused: id"), ["not selected"]),
            (("--columns", "commerce.narrow: v", "--key"), ['needs column "id"']),
        ):
            result = world.vstream.run("tail", "commerce.narrow", *arguments)
            expect(result.code in (64, 69) and all(word in result.stderr.decode() for word in words), result)
        result = world.vstream.run("tail", "commerce./narow.*/")
        expect(result.code == 69 and "no table of keyspace" in result.stderr.decode(), result)
        result = world.vstream.run("tail", "commerce.narow")
        expect(result.code == 69 and 'did you mean "narrow"' in result.stderr.decode(), result)


def a_copy_of_columns_without_the_key_survives_a_cut(world):
    """The key is not among the columns, but VTGate's cursors have it: the copy goes on after its last row."""
    count = 20_000
    with tables(world, {"keyless": "(id bigint primary key, v int, s varchar(200))"}):
        for first in range(0, count, 5000):
            rows = ",".join(f"({n}, {n}, repeat('x', 150))" for n in range(first, first + 5000))
            world.query(KEYSPACE, f"insert into keyless values {rows}")
        settle(world)
        with Proxy(world.cluster.grpc_port, rate=1_500_000) as proxy:
            stream = world.vstream.start(
                *("tail", "commerce.keyless", "--columns", "commerce.keyless: v,s", "--from", "copy"),
                *("--until", "copy-completed"),
                address=f"127.0.0.1:{proxy.port}",
            )
            try:
                for _ in range(2000):
                    expect(stream.next_line() is not None, lambda: stream.wait())
                proxy.cut_after(10_000, gap=0.5)
                result = stream.wait(120)
            finally:
                stream.kill()
        lines = parsed(result)
        expect(proxy.cuts == 1 and b"trying again" in result.stderr, result.stderr.decode())
        expect(not any(line["type"] == "copy_restarted" for line in lines), "the copy began anew")
        values = [line["after"]["v"] for line in lines if line["type"] == "row"]
        expect(values == list(range(count)), f"{len(values)} rows, {len(set(values))} of {count}")


def a_row_that_misses_columns_stops_a_run_that_selects_some(world):
    """D7, D8: the bitmaps are over the table's columns; which of the selected ones they mean cannot be told."""
    definition = "(id bigint primary key, j1 json, t text, j2 json)"
    with tables(world, {"partial": definition}):
        world.query(KEYSPACE, """insert into partial values (1, '{"a": 1}', 'x', '{"b": 1}')""")
        world.cluster.wait_for_replicas()
        for setting, change in (
            ("binlog_row_image = NOBLOB", "set j1 = '5'"),  # t is left out
            ("binlog_row_value_options = PARTIAL_JSON", "set j2 = json_set(j2, '$.b', 2)"),
        ):
            position = start_here(world)
            with world.cluster.connect_mysqld(world.cluster.primary(KEYSPACE, "0")) as connection:
                sql.query(connection, f"set session {setting}")
                sql.query(connection, f"update vt_commerce.partial {change} where id = 1")
            world.cluster.wait_for_replicas()
            # A replica writes whole rows again into its own binlog.
            start = ("tail", "commerce.partial", "--from", position, "-c", "1", "--tablet-type", "primary")
            for images in ((), ("--partial-images", "mark")):
                result = world.vstream.run(*start, "--columns", "commerce.partial: id,j2", *images)
                expect(result.code == 65 and not result.stdout and b"partial" in result.stderr, result)
            whole = world.vstream.run(*start, "--partial-images", "mark")
            expect(len(parsed(whole)) == 1, whole)


def ops_are_chosen_and_keep_their_numbers(world):
    with tables(world, {"chosen": PLAIN}):
        position = start_here(world)
        with world.connect(KEYSPACE) as connection:
            for statement in (
                "begin",
                "insert into chosen values (4, 4, 'four')",
                "update chosen set v = 5 where id = 4",
                "delete from chosen where id = 4",
                "delete from chosen where id = 3",
                "commit",
            ):
                sql.query(connection, statement)
        result = world.vstream.run("tail", "commerce.chosen", "--from", position, "--ops", "d", "-c", "2")
        rows = [(row["op"], row["n"], row["before"]["id"]) for row in parsed(result)]
        expect(rows == [("d", 2, 4), ("d", 3, 3)], rows)
        result = world.vstream.run("tail", "commerce.chosen", "--from", "copy", "--until", "copy-completed", "--ops", "c,u")
        expect([line["type"] for line in parsed(result)] == ["copy_completed"] * 2, result)


def tables_of_schema_changes_stay_hidden(world):
    """T13"""
    names = ["_sales_gho", "_sales_new", "_vt_mine", "sales"]
    never = "_sales_old"
    with tables(world, dict.fromkeys([*names, never], PLAIN)):
        position = start_here(world)
        inserted(world, [never, *names])
        world.cluster.wait_for_replicas()
        for selector in ("commerce./.*sales.*|_vt.*/", "commerce"):
            rows = streamed(world, position, 2, selector)
            expect(rows == [("sales", 4), ("sales", 5)], rows)
            rows = streamed(world, position, 5, selector, "--internal-tables")
            expect(rows == [(name, 4) for name in names] + [("sales", 5)], rows)
        rows = streamed(world, position, 3, "commerce._sales_gho", "commerce.sales")
        expect(rows == [("_sales_gho", 4), ("sales", 4), ("sales", 5)], rows)
        expect(set(copied(world, "commerce./.*sales.*/")) == {"sales"}, "the copy was of more than sales")
        result = world.vstream.run("tail", f"commerce.{never}")
        expect(result.code == 69 and b"cannot be streamed" in result.stderr, result)
        told = world.vstream.run("tail", "commerce./.*sales.*/", "--duration", "1s").stderr.decode()
        expect('"_sales_gho", "_sales_new"' in told and "--internal-tables" in told, told)


def one_shard_of_an_expression_can_be_left_out(world):
    begin = {shard: world.cluster.position("customer", shard) for shard in world.shards("customer")}
    world.query("customer", "update corder set sku = 'left out' where id between 1 and 30")
    world.query("customer", "update customer set email = 'not' where id between 1 and 30")
    start = ",".join(f"customer/{shard}@{gtid}" for shard, gtid in begin.items())
    held = len(world.query("customer:80-", "select id from corder where id between 1 and 30"))
    count = held + 30
    result = world.vstream.run(
        *("tail", "customer./c.*er/", "--exclude", "customer/-80.corder", "--from", start, "-c", str(count))
    )
    seen = collections.Counter((row["table"], row["shard"]) for row in parsed(result))
    expect(seen[("corder", "80-")] == held and ("corder", "-80") not in seen, seen)
    expect(seen[("customer", "-80")] + seen[("customer", "80-")] == 30, seen)


def cells_and_flags_reach_the_server(world):
    position = start_here(world)
    world.query(KEYSPACE, "update product set name = 'by cell' where id = 1")
    start = ("tail", "commerce.product", "--from", position, "-c", "1", "-v")
    cells = ("--cells", "zone1", "--cell-preference", "onlyspecified")
    result = world.vstream.run(*start, *cells, "--vstream-flag", "transaction_chunk_size=1048576")
    told = result.stderr.decode()
    expect(len(parsed(result)) == 1, result)
    for word in ('cells: "zone1"', 'cell_preference: "onlyspecified"', "transaction_chunk_size: 1048576"):
        expect(word in told, result)
    expect("filter: select * from `product`" in told, result)


TESTS = [
    names_and_expressions_take_exactly_their_tables,
    names_hold_dots_quotes_backticks_and_other_letters,
    a_table_that_is_made_later_is_streamed_if_it_matches,
    a_table_that_is_made_during_a_copy_is_copied_if_it_matches,
    conditions_take_the_rows_that_mysql_takes,
    an_update_that_crosses_a_condition_keeps_both_images,
    a_condition_that_the_server_refuses_ends_the_run_at_once,
    columns_come_as_they_are_listed,
    conditions_that_a_tablet_gets_wrong_are_refused,
    columns_and_tables_that_do_not_exist_are_told_with_the_nearest,
    a_copy_of_columns_without_the_key_survives_a_cut,
    a_row_that_misses_columns_stops_a_run_that_selects_some,
    ops_are_chosen_and_keep_their_numbers,
    tables_of_schema_changes_stay_hidden,
    one_shard_of_an_expression_can_be_left_out,
    cells_and_flags_reach_the_server,
]
