"""Text in all of MySQL's character sets: what vstream prints must be what MySQL's own CONVERT(… USING utf8mb4) makes.

D10: the bytes are in the column's own character set, whatever VTGate says of it, or does not.
"""

import json

from charsets import tables
from charsets.characters import characters, charsets
from check import expect
from rig import sql

KEYSPACE, SHARD = "commerce", "0"
SECONDS = 300


def every_character_of_every_set(world):
    sets = _sets(world)
    expect(len(sets) == 40, f"MySQL has other character sets: {list(sets)}")
    table = tables.every_character(sets)
    for phase, lines in _stream(world, table):
        _expect_equal(world, table, phase, lines)


def every_type_with_and_without_a_bin_collation(world):
    sets = _sets(world)
    binary = _ask(world, "select character_set_name, collation_name from information_schema.collations"
                         " where collation_name like '%\\_bin' and collation_name <> 'utf8mb4_0900_bin'")
    names = list(sets)
    for number, some in enumerate((names[:20], names[20:])):  # all are too much for one row
        table = tables.every_type(f"charset_types_{number}", {c: sets[c] for c in some}, dict(binary), 40)
        for phase, lines in _stream(world, table):
            _expect_equal(world, table, phase, lines)


def every_collation(world):
    collations = _ask(world, "select collation_name, character_set_name from information_schema.collations"
                             " where character_set_name <> 'binary' order by id")
    expect(len(collations) > 280, f"only {len(collations)} collations")
    table = tables.every_collation(_sets(world), dict(collations))
    for phase, lines in _stream(world, table):
        _expect_equal(world, table, phase, lines)


def bytes_that_mean_nothing_in_their_set(world):
    table, texts = tables.unknown_characters(_sets(world))
    expect(len(texts) > 15, f"only {list(texts)} have such bytes")
    for phase, lines in _stream(world, table):
        row = lines["1"]
        for charset, text in texts.items():
            expect(row["after"][charset] == text, f"{phase}, {charset}: {row['after'][charset]!r} is not {text!r}")
        expect(row.get("lossy") == list(texts), f"{phase}: 'lossy' names {row.get('lossy')}")


def a_change_of_the_set_between_two_rows(world):
    """VTGate tells neither of these two sets: they are asked for again after the DDL."""
    world.query(KEYSPACE, "create table changing_charset (id int primary key, c varchar(9) character set gbk)")
    world.cluster.wait_for_replicas()
    world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)
    start = f"{KEYSPACE}/{SHARD}@{world.cluster.position(KEYSPACE, SHARD)}"
    stream = world.vstream.start("tail", f"{KEYSPACE}.changing_charset", "--from", start, "-c", "2")
    try:
        world.query(KEYSPACE, "insert into changing_charset values (1, '中文 a')")
        first = stream.next_line()
        world.query(KEYSPACE, "alter table changing_charset modify c varchar(9) character set big5")
        world.query(KEYSPACE, "insert into changing_charset values (2, '中文 b')")
        result = stream.wait()
    finally:
        stream.kill()
    rows = [line for line in map(json.loads, result.stdout.splitlines()) if line["type"] == "row"]
    expect(first and [row["after"]["c"] for row in rows] == ["中文 a", "中文 b"], result)
    expect(not any("lossy" in row for row in rows), result)


def names_that_need_quotes(world):
    """A question about a table whose names have quotes, and one that differs by case alone."""
    world.query(KEYSPACE, "create table `quo'te\"\\\\` (id int primary key, `c'c` varchar(9) character set tis620)")
    world.query(KEYSPACE, "create table `QUO'TE\"\\\\` (id int primary key, `c'c` varchar(9) character set big5)")
    world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)
    world.query(KEYSPACE, "insert into `quo'te\"\\\\` values (1, 'ไทย')")
    world.cluster.wait_for_replicas()
    world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)
    result = world.vstream.run("tail", f"{KEYSPACE}.quo'te\"\\\\", "--from", "copy", "-c", "1")
    expect(json.loads(result.stdout)["after"] == {"id": 1, "c'c": "ไทย"}, result)


_known = {}


def _sets(world):
    """{name: its characters}, asked once."""
    if not _known:
        with _primary(world) as connection:
            sql.query(connection, "set cte_max_recursion_depth = 1000000")
            ask = lambda statement: sql.query(connection, statement)
            for charset in charsets(ask):
                _known[charset] = characters(ask, charset)
    return _known


def _primary(world):
    """The server itself: VTGate does not read all that is written here."""
    return world.cluster.connect_mysqld(world.cluster.primary(KEYSPACE, SHARD))


def _ask(world, statement):
    with _primary(world) as connection:
        return sql.query(connection, statement)


def _stream(world, table):
    """Makes and fills the table; for binlog and copy: (phase, its lines by key)."""
    with _primary(world) as connection:
        sql.query(connection, f"use vt_{KEYSPACE}")
        sql.query(connection, table.create_statement())
        world.cluster.wait_for_replicas()
        world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)
        start = f"{KEYSPACE}/{SHARD}@{world.cluster.position(KEYSPACE, SHARD)}"
        table.fill(connection)
    tail = ("tail", f"{KEYSPACE}.{table.name}", "--from")
    yield "binlog", _rows(world.vstream.run(*tail, start, "-c", str(len(table.rows)), seconds=SECONDS), table)
    world.cluster.wait_for_replicas()
    yield "copy", _rows(world.vstream.run(*tail, "copy", "--until", "copy-completed", seconds=SECONDS), table)


def _rows(result, table):
    lines = [line for line in map(json.loads, result.stdout.splitlines()) if line["type"] == "row"]
    rows = {str(line["after"]["id"]): line for line in lines}
    expect(result.code == 0 and len(rows) == len(lines) == len(table.rows), f"{len(lines)} rows came\n{result.stderr}")
    return rows


def _expect_equal(world, table, phase, lines):
    with _primary(world) as connection:
        sql.query(connection, f"use vt_{KEYSPACE}")
        source = table.texts(lambda statement: sql.query(connection, statement))
    problems, compared = [], 0
    for key, texts in source.items():
        line = lines[key]
        problems += [f"row {key}: '{note}' names {line[note]}" for note in ("lossy", "base64") if note in line]
        for column, text in texts.items():
            printed = line["after"][column]
            compared += len(text or "")
            if printed != text:
                problems.append(f"row {key}, {column}: {_first_difference(printed, text)}")
    expect(compared > 1000 or table.name == "every_collation", "the source is empty: nothing was compared")
    shown = "\n".join(problems[:40])
    expect(not problems, f"{table.name}, {phase}: {len(problems)} differences in {compared} characters\n{shown}")


def _first_difference(printed, text):
    if printed is None or text is None:
        return f"printed {printed!r:.50}, MySQL {text!r:.50}"
    at = next((i for i, (a, b) in enumerate(zip(printed, text)) if a != b), min(len(printed), len(text)))
    return f"at {at}: printed {printed[at : at + 9]!r}, MySQL {text[at : at + 9]!r}"


TESTS = [
    every_character_of_every_set,
    every_type_with_and_without_a_bin_collation,
    every_collation,
    bytes_that_mean_nothing_in_their_set,
    a_change_of_the_set_between_two_rows,
    names_that_need_quotes,
]
