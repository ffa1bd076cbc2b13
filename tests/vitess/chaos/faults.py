"""What goes wrong: each fault breaks something and returns when the cluster is whole again."""

from rig import control


def vtgate_dies(cluster, *_):
    control.restart_vtgate(cluster)


def the_streamed_tablet_dies(cluster, keyspace, shard, tablet_type):
    control.restart_vttablet(cluster, control.streamed_tablet(cluster, keyspace, shard, tablet_type))


def its_mysqld_dies(cluster, keyspace, shard, tablet_type):
    control.restart_mysqld(cluster, control.streamed_tablet(cluster, keyspace, shard, tablet_type))


def another_primary_is_chosen(cluster, keyspace, shard, _):
    control.reparent(cluster, keyspace, shard)


DEATHS = [vtgate_dies, the_streamed_tablet_dies, its_mysqld_dies]
