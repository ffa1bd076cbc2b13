"""The tables that are written to while things break. All have the same columns and differ in their keys and names."""

from dataclasses import dataclass

from rig import sql

COLUMNS = ("id", "sub", "v", "n")  # the shard is decided by id
LIST = ", ".join(COLUMNS)
MARKS = "zz_mark"  # the last one to be copied: no other table is waiting when its rows have come


@dataclass(frozen=True)
class Table:
    name: str
    key: tuple  # names of columns; none: the table has no key
    is_unique_key: bool = False  # "unique key" of columns that are not null, instead of "primary key"
    is_written: bool = True

    @property
    def quoted(self):
        return f"`{self.name}`"

    def create_statement(self):
        columns = "id bigint not null, sub bigint not null, v varchar(200), n bigint"
        kind = "unique key" if self.is_unique_key else "primary key"
        key = f"{kind} ({', '.join(self.key)})" if self.key else "key (id)"  # an index: else each change locks all rows
        return f"create table {self.quoted} ({columns}, {key})"


TABLES = (
    Table("a_big", ("id",)),
    Table("b_empty", ("id",), is_written=False),
    Table("c_no_key", ()),
    Table("d_pair", ("id", "sub")),
    Table("do.t", ("id",)),
    Table("e_unique", ("id", "sub"), is_unique_key=True),
    Table("we ird", ("id",)),
    Table(MARKS, ("id",), is_written=False),
)
BY_NAME = {table.name: table for table in TABLES}
WRITTEN = [table for table in TABLES if table.is_written]
STEP = 10  # between the ids of the rows that are there at first: later rows get ids between them


class Database:
    """TABLES, freshly made in a keyspace, in place of all that it had."""

    def __init__(self, world, keyspace):
        self.world, self.keyspace, self.mark = world, keyspace, 0
        self.is_sharded = len(world.shards(keyspace)) > 1
        for (old,) in world.query(keyspace, "show tables"):
            world.query(keyspace, f"drop table `{old}`")
        if self.is_sharded:
            world.cluster.shard_by_hash(keyspace, {table.name: "id" for table in TABLES})
        for table in TABLES:
            world.query(keyspace, table.create_statement())
        self.begin = self.position()  # all tables are empty here
        marks = ",".join(f"({n}, 0, null, 0)" for n in range(12))
        world.query(keyspace, f"insert into {MARKS} ({LIST}) values {marks}")
        self._mark_ids = {
            shard: world.query(f"{keyspace}:{shard}", f"select min(id) from {MARKS}")[0][0]
            for shard in world.shards(keyspace)
        }
        world.cluster.wait_for_replicas()
        world.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", keyspace)

    def fill(self, rows):
        """So many rows (by table name), with ids STEP, 2 * STEP, …"""
        with self.world.connect(self.keyspace) as connection:
            for name, count in rows.items():
                for first in range(1, count + 1, 2000):
                    numbers = range(first, min(first + 2000, count + 1))
                    values = ",".join(f"({n * STEP}, {n % 3}, '{n:0100}', {n})" for n in numbers)
                    sql.query(connection, f"insert into {BY_NAME[name].quoted} ({LIST}) values {values}")
        self.world.cluster.wait_for_replicas()

    def next_mark(self):
        """Writes a new number into a row on every shard; tries until the cluster takes it."""
        self.mark += 1
        ids = ",".join(self._mark_ids.values())

        def marked():
            self.world.query(self.keyspace, f"update {MARKS} set n = {self.mark} where id in ({ids})")
            return True

        self.world.cluster.wait("a mark to be written", marked)
        return self.mark

    def rows(self):
        """What each shard's primary holds: {(shard, table): [(id, sub, v, n)]}; asked around Vitess."""
        held = {}
        for shard in self.world.shards(self.keyspace):
            with self.world.cluster.connect_mysqld(self.world.cluster.primary(self.keyspace, shard)) as connection:
                sql.query(connection, f"use vt_{self.keyspace}")
                for table in TABLES:
                    rows = sql.query(connection, f"select {LIST} from {table.quoted}")
                    held[shard, table.name] = [
                        (int(id_), int(sub), v, None if n is None else int(n)) for id_, sub, v, n in rows
                    ]
        return held

    def position(self):
        """Where every primary is now, as --from takes it."""
        shards = self.world.shards(self.keyspace)
        return ",".join(f"{self.keyspace}/{s}@{self.world.cluster.position(self.keyspace, s)}" for s in shards)
