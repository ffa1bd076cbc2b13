"""D7, D8: rows that miss columns, as a primary that does not log whole rows makes them."""

import contextlib

from check import expect
from images.fold import Fold
from images.table import CREATE, END, NOBLOB, PARTIAL_JSON, TABLE, Statements, read
from rig import sql
from values.make import quote

KEYSPACE = "commerce"
SHORT, LONG = 150, 2000


def noblob_marked_folds_to_the_source(world):
    _marked(world, NOBLOB, SHORT)


def partial_json_marked_folds_to_the_source_with_its_differences(world):
    _marked(world, PARTIAL_JSON, SHORT)


def noblob_stops_before_anything_wrong_is_printed(world):
    _stops(world, NOBLOB)


def partial_json_stops_before_anything_wrong_is_printed(world):
    _stops(world, PARTIAL_JSON)


def noblob_marked_folds_to_the_source_after_many_statements(world):
    _marked(world, NOBLOB, LONG)


def partial_json_marked_folds_to_the_source_after_many_statements(world):
    _marked(world, PARTIAL_JSON, LONG)


def noblob_and_partial_json_marked_fold_to_the_source_after_many_statements(world):
    _marked(world, (NOBLOB[0], PARTIAL_JSON[1]), LONG)


def _marked(world, images, count):
    with _primary_with(world, images) as connection:
        statements = Statements(connection, world.seed, changes_json=bool(images[1]))
        fold = Fold(statements.history, statements.server, lambda value, difference: _applied(connection, value, difference))
        stream = _tail(world, "--partial-images", "mark")
        try:
            statements.run(count)
            statements.end()
            while True:
                text = stream.next_line()
                expect(text is not None, lambda: f"the stream ended by itself\n{stream.wait()}")
                if _is_end(fold.feed(text)):
                    break
            fold.finish()
            result = stream.stop()
        finally:
            stream.kill()
        source = read(lambda statement: sql.query(connection, statement))
    expect(result.code == 0, result)
    _expect_sound(world, fold, f"{count} statements under {images}")
    expect(statements.history and fold.rows.keys() == source.keys() and statements.rows == source, "the fold is not at the end")
    expect(fold.compared >= count // 3, f"only {fold.compared} transactions were compared")
    expect(images[0] == "FULL" or fold.partial, "no row missed a column")
    expect(not images[1] or fold.diffs, "no difference came")


def _stops(world, images):
    """Whatever the statements are: the run ends at the first row that misses columns, and all before it is right."""
    with _primary_with(world, images) as connection:
        for salt in range(5):
            sql.query(connection, f"delete from {TABLE}")
            statements = Statements(connection, world.seed * 10 + salt, changes_json=bool(images[1]))
            fold = Fold(statements.history, statements.server)
            stream = _tail(world)
            try:
                for _ in range(50):
                    if stream.process.poll() is None:
                        statements.run(40)
                result = stream.wait()
            finally:
                stream.kill()
            for text in result.stdout.splitlines():
                fold.feed(text)
            fold.finish()
            expect(result.code == 65, result)
            for part in (b"does not hold all its columns", TABLE.encode(), b"commerce/0", b"--partial-images mark"):
                expect(part in result.stderr, result)
            expect(not fold.partial and not fold.diffs, result)
            _expect_sound(world, fold, f"a stop under {images}")


def _expect_sound(world, fold, what):
    shown = "\n".join(fold.problems[:20])
    expect(not fold.problems, f"{len(fold.problems)} problems in {fold.lines} lines of {what}, seed {world.seed}:\n{shown}")


@contextlib.contextmanager
def _primary_with(world, images):
    """A connection to the primary's own mysqld, with an empty table. The server's variables are restored."""
    primary = world.cluster.primary(KEYSPACE, "0")
    names = ("binlog_row_image", "binlog_row_value_options")
    with world.cluster.connect_mysqld(primary) as connection:
        usual = sql.query(connection, f"select {', '.join(f'@@global.{name}' for name in names)}")[0]
    world.query(KEYSPACE, CREATE)
    try:
        world.cluster.wait_for_replicas()
        world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", KEYSPACE)
        _set_global(world, primary, names, images)
        with world.cluster.connect_mysqld(primary) as connection:  # sessions take the global values when they begin
            sql.query(connection, f"use vt_{KEYSPACE}")
            yield connection
    finally:
        _set_global(world, primary, names, usual)
        world.query(KEYSPACE, f"drop table {TABLE}")


def _set_global(world, tablet, names, values):
    with world.cluster.connect_mysqld(tablet) as connection:
        for name, value in zip(names, values):
            sql.query(connection, f"set global {name} = '{value}'")


def _tail(world, *options):
    stream = world.vstream.start("tail", f"{KEYSPACE}.{TABLE}", "--tablet-type", "primary", *options)
    stream.wait_for_talk(b"vstream: streaming")
    return stream


def _is_end(line):
    return line["type"] == "row" and (line.get("after") or {}).get("id") == str(END)


def _applied(connection, value, difference):
    """What MySQL makes of a difference: an expression with %s in the place of the old document."""
    document = f"cast(_utf8mb4{quote(value)} as json)"
    return sql.query(connection, f"select cast({difference.replace('%s', document, 1)} as char)")[0][0]


TESTS = [
    noblob_marked_folds_to_the_source,
    partial_json_marked_folds_to_the_source_with_its_differences,
    noblob_stops_before_anything_wrong_is_printed,
    partial_json_stops_before_anything_wrong_is_printed,
]
LONG_TESTS = [
    noblob_marked_folds_to_the_source_after_many_statements,
    partial_json_marked_folds_to_the_source_after_many_statements,
    noblob_and_partial_json_marked_fold_to_the_source_after_many_statements,
]
