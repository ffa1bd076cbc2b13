"""What every test gets: the cluster, vstream, the seed, and the tables that exist from the start."""

import threading
from pathlib import Path

from rig import sql
from rig.command import Vstream
from values import columns

TABLES = {
    "commerce": {
        "product": "create table product (id bigint primary key, name varchar(40), price decimal(8,2))",
        "no_rows": "create table no_rows (id bigint primary key)",
        columns.TABLE: columns.create_statement(),
    },
    "customer": {
        "customer": "create table customer (id bigint primary key, email varchar(40))",
        "corder": "create table corder (id bigint primary key, sku varchar(20))",
        columns.TABLE: columns.create_statement(),
    },
}
ROWS = 30  # in product, customer and corder


class World:
    """`logs` is a folder for what is too much for the output of a test."""

    def __init__(self, cluster, binary, seed, logs=None):
        self.cluster, self.seed = cluster, seed
        self.logs = Path(logs or cluster.run.folder)
        self.vstream = Vstream(binary, f"127.0.0.1:{cluster.grpc_port}", cluster.run.environment())

    def program(self, name):
        """One of ours, built beside vstream."""
        return Path(self.vstream.binary).parent.parent / "tests/vitess" / name

    def shards(self, keyspace):
        return self.cluster.shards(keyspace)

    def connect(self, target):
        return self.cluster.connect(target)

    def query(self, target, statement):
        with self.connect(target) as connection:
            sql.query(connection, "set time_zone = '+00:00'")
            return sql.query(connection, statement)

    def create_tables(self):
        self.cluster.shard_by_hash("customer", {table: "id" for table in TABLES["customer"]})
        for keyspace, tables in TABLES.items():
            for statement in tables.values():
                self.query(keyspace, statement)
        for keyspace, table in (
            ("commerce", "product (id, name)"),
            ("customer", "customer (id, email)"),
            ("customer", "corder (id, sku)"),
        ):
            rows = ",".join(f"({n}, 'first {n}')" for n in range(1, ROWS + 1))
            self.query(keyspace, f"insert into {table} values {rows}")
        self.cluster.wait_for_replicas()
        for keyspace in TABLES:  # streams come from replicas, which learn of new tables only now and then
            self.cluster.vtctl("ReloadSchemaKeyspace", "--include-primary", keyspace)


class Writing:
    """While it is open, a thread inserts, updates and deletes in commerce.product and updates customer.customer."""

    def __init__(self, world):
        self.world, self.failure = world, None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        if self.failure:
            raise self.failure

    def _write(self):
        try:
            with self.world.connect("commerce") as commerce, self.world.connect("customer") as customer:
                number = 1000
                while not self._stop.wait(0.02):
                    number += 1
                    sql.query(commerce, f"insert into product values ({number}, 'new', 2)")
                    sql.query(commerce, f"update product set price = {number % 7} where id = {1 + number % ROWS}")
                    sql.query(commerce, f"delete from product where id = {number}")
                    sql.query(customer, f"update customer set email = 'e{number}' where id between 1 and 8")
        except Exception as failure:  # told to the test's thread
            self.failure = failure
