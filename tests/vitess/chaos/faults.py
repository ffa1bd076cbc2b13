"""What goes wrong: each fault breaks something and returns when the cluster is whole again."""

import time

from rig import control

SILENCE = 15  # seconds: longer than vstream's liveness timeout


def vtgate_dies(cluster, *_):
    control.restart_vtgate(cluster)


def the_streamed_tablet_dies(cluster, keyspace, shard, tablet_type):
    control.restart_vttablet(cluster, control.streamed_tablet(cluster, keyspace, shard, tablet_type))


def its_mysqld_dies(cluster, keyspace, shard, tablet_type):
    control.restart_mysqld(cluster, control.streamed_tablet(cluster, keyspace, shard, tablet_type))


def vtgate_hangs(cluster, *_):
    _hang(cluster, "vtgate")


def the_streamed_tablet_hangs(cluster, keyspace, shard, tablet_type):
    _hang(cluster, control.streamed_tablet(cluster, keyspace, shard, tablet_type).process)


def _hang(cluster, process):
    with control.stopped(cluster, process):
        time.sleep(SILENCE)


def another_primary_is_chosen(cluster, keyspace, shard, _):
    control.reparent(cluster, keyspace, shard)


DEATHS = [vtgate_dies, the_streamed_tablet_dies, its_mysqld_dies]
HANGS = [vtgate_hangs, the_streamed_tablet_hangs]
