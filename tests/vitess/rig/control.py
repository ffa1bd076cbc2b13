"""Breaks the cluster and mends it: kill -9 of its programs, planned failovers.

Each call returns when the cluster is whole again as far as anybody can ask it; what a stream makes of it is what the
tests are about.
"""

import contextlib
import json
import signal
import urllib.request

from . import sql


def restart_vtgate(cluster):
    """kill -9 of VTGate, and the same again on the same ports."""
    _kill(cluster, "vtgate")
    cluster.start_vtgate()
    wait_until_whole(cluster)


def restart_vttablet(cluster, tablet):
    _kill(cluster, tablet.process)
    cluster.start_vttablet(tablet)
    wait_until_whole(cluster)


@contextlib.contextmanager
def dead_vttablet(cluster, tablet):
    """It is dead for as long as the context is open, and VTGate knows it."""
    _kill(cluster, tablet.process)
    try:
        cluster.wait(f"VTGate to miss {tablet.alias}", lambda: cluster.states()[tablet.alias] != "SERVING")
        yield
    finally:
        cluster.start_vttablet(tablet)
        wait_until_whole(cluster)


@contextlib.contextmanager
def stopped(cluster, name):
    """While it is open the program does nothing: its connections stay, new ones are taken, nothing is answered."""
    process = cluster.processes[name]
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
        wait_until_whole(cluster)


def restart_mysqld(cluster, tablet):
    """kill -9 of a tablet's mysqld. Nobody but us starts it again, nor what it did: there is no VTOrc here."""
    cluster.mysqlds.kill(tablet.uid)
    cluster.mysqlds.start_again(tablet.uid, tablet.mysql_port)

    def mended():
        if tablet.is_primary:
            cluster.vtctl("SetWritable", tablet.alias, "true")
        else:
            cluster.vtctl("StartReplication", tablet.alias)
        return True

    cluster.wait(f"{tablet.alias} to work again", mended)
    wait_until_whole(cluster)


def reparent(cluster, keyspace, shard):
    """PlannedReparentShard to the shard's other tablet."""
    cluster.make_primary(cluster.tablets_of(keyspace, shard)[1])
    wait_until_whole(cluster)


@contextlib.contextmanager
def another_replica(cluster, keyspace, shard):
    """A further tablet for as long as the context is open. It gets its data by replication from the first change on."""
    tablet = cluster.new_tablet(keyspace, shard)
    cluster.mysqlds.start(tablet.uid, tablet.mysql_port)
    cluster.start_vttablet(tablet)
    cluster.tablets.append(tablet)
    try:
        wait_until_whole(cluster)
        yield tablet
    finally:
        cluster.tablets.remove(tablet)
        _kill(cluster, tablet.process)
        cluster.mysqlds.kill(tablet.uid)
        cluster.vtctl("DeleteTablets", tablet.alias)
        wait_until_whole(cluster)


def wait_until_whole(cluster):
    """Until all tablets serve, primaries can be written and replicas follow them."""

    def whole():
        if not cluster.all_serving():
            return False
        return all(_works(cluster, tablet) for tablet in cluster.tablets)

    cluster.wait("all tablets to work", whole)


def streamed_tablet(cluster, keyspace, shard, tablet_type):
    """The tablet of that type from which somebody streams; waits for the first stream."""
    found = []

    def streams():
        for tablet in cluster.tablets_of(keyspace, shard):
            if tablet.is_primary == (tablet_type == "primary") and _streams(tablet) > tablet.is_primary:
                found.append(tablet)
        return found

    cluster.wait(f"a stream from a {tablet_type} of {keyspace}/{shard}", streams)
    return found[0]


def _streams(tablet):
    """How many streams a vttablet sends. A primary has one of its own, with which it follows the schema."""
    with urllib.request.urlopen(f"http://127.0.0.1:{tablet.web_port}/debug/vars", timeout=5) as answer:
        return json.load(answer)["VStreamerCount"]


def _works(cluster, tablet):
    if tablet.is_primary:
        return cluster.query_mysqld(tablet, "select @@global.super_read_only") == "0"
    with cluster.connect_mysqld(tablet) as connection:
        states = sql.query(
            connection,
            "select c.service_state, a.service_state from performance_schema.replication_connection_status c, "
            "performance_schema.replication_applier_status a",
        )
    return states == (("ON", "ON"),)


def _kill(cluster, name):
    cluster.processes[name].kill()
    cluster.processes[name].wait()
