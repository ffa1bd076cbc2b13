#!/usr/bin/python3
"""A real Vitess cluster: etcd, vtctld, vtgate, and for every tablet a vttablet with its own mysqld.

Run by itself it starts one, prints its addresses and keeps it until Ctrl-C: good for trying vstream by hand.
"""

import itertools
import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from rig import install, sql
from rig.mysqld import EXTRA_CNF, Failed, Mysqlds
from rig.run import Run

KEYSPACES = {"commerce": ["0"], "customer": ["-80", "80-"]}
TABLETS_PER_SHARD = 2  # the first becomes the primary
CELL = "zone1"
PATIENCE = 240  # seconds; only a bound for a broken machine


def flags(**values):
    """tablet_alias="x" as --tablet-alias=x."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


def shortened(line):
    """What matters of a line that a program of Vitess logged."""
    try:
        entry = json.loads(line)
        return f"{entry['time'][11:23]} {entry['msg']}"[:500].replace("\n", " | ")
    except (ValueError, KeyError, TypeError):
        return line.rstrip()[:500]


class Tablet:
    def __init__(self, uid, keyspace, shard, run):
        self.uid, self.keyspace, self.shard = uid, keyspace, shard
        self.alias = f"{CELL}-{uid:010d}"
        self.mysql_port, self.web_port, self.grpc_port = run.port(), run.port(), run.port()
        self.is_primary = False

    @property
    def process(self):
        """The name under which its vttablet runs."""
        return f"vttablet-{self.uid}"


class Cluster:
    """Starts with start(); `grpc_port` and `mysql_port` are VTGate's. Ends with close(), or with the process."""

    def __init__(self, installed):
        self.install = installed
        self.run = Run(installed.runs)
        self.logs = self.run.folder / "logs"
        self.data = self.run.folder
        self.log_sizes, self.processes = {}, {}
        self.etcd_port, self.etcd_peer_port, self.vtctld_web, self.vtctld_port = (self.run.port() for _ in range(4))
        self.vtgate_web, self.grpc_port, self.mysql_port = (self.run.port() for _ in range(3))
        root, mysql = installed.folder, installed.mysql
        self.environment = self.run.environment(
            VTROOT=root,
            VTDATAROOT=self.data,
            VT_MYSQL_ROOT=mysql,
            EXTRA_MY_CNF=self.data / "extra.cnf",
            HOME=self.data,
            PATH=f"{root}/bin:{mysql}/sbin:{mysql}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        )
        self.topology = flags(
            topo_implementation="etcd2",
            topo_global_root="/vitess/global",
            topo_global_server_address=f"127.0.0.1:{self.etcd_port}",
        )
        self.backups = flags(backup_storage_implementation="file", file_backup_storage_root=self.data)
        self.mysqlds = Mysqlds(installed, self.data, self.environment)
        shards = [(keyspace, shard) for keyspace in KEYSPACES for shard in KEYSPACES[keyspace]]
        self.uids = itertools.count(101)
        self.tablets = [self.new_tablet(*shard) for shard in shards for _ in range(TABLETS_PER_SHARD)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.run.close()

    def start(self):
        """Returns when every tablet serves and VTGate answers for every shard. Raises Failed with the logs' ends."""
        (self.data / "extra.cnf").write_text(EXTRA_CNF)
        self.logs.mkdir()
        subprocess.run(["chown", "-R", "vitess:", self.data], check=True)
        with ThreadPoolExecutor(max_workers=4) as pool:
            servers = pool.submit(self._start_mysqlds)
            self._start_topology()
            servers.result()
        for tablet in self.tablets:
            self.start_vttablet(tablet)
        for keyspace, shards in KEYSPACES.items():
            for shard in shards:
                self._elect_primary(keyspace, shard)
        self.start_vtgate()
        self.wait("all tablets to serve", self.all_serving)
        self.log_sizes = {path: path.stat().st_size for path in self.logs.glob("*.log")}

    def new_tablet(self, keyspace, shard):
        """Not running yet, nor one of `tablets`."""
        return Tablet(next(self.uids), keyspace, shard, self.run)

    def connect(self, target):
        return sql.connect(self.mysql_port, target)

    def vtctl(self, *arguments):
        return self._program("vtctldclient", "--server", f"127.0.0.1:{self.vtctld_port}", *arguments)

    @staticmethod
    def shards(keyspace):
        return KEYSPACES[keyspace]

    def wait_for_replicas(self):
        """Returns when every replica has what its primary has now: copies and streams come from replicas."""
        for primary, *replicas in (self.tablets_of(k, s) for k in KEYSPACES for s in KEYSPACES[k]):
            executed = self.query_mysqld(primary, "select @@global.gtid_executed")
            for replica in replicas:
                late = self.query_mysqld(replica, f"select wait_for_executed_gtid_set('{executed}', {PATIENCE})")
                if str(late) != "0":
                    raise Failed(f"the replica {replica.alias} does not follow {primary.alias}")

    def position(self, keyspace, shard):
        """The primary's position, as Vitess writes it."""
        executed = self.query_mysqld(self.primary(keyspace, shard), "select @@global.gtid_executed")
        return "MySQL56/" + executed.replace("\n", "")

    def shard_by_hash(self, keyspace, table_columns):
        """Gives the sharded `keyspace` its VSchema: every table is sharded by a hash of the named column."""
        tables = {
            table: {"column_vindexes": [{"column": column, "name": "hash"}]} for table, column in table_columns.items()
        }
        vschema = {"sharded": True, "vindexes": {"hash": {"type": "xxhash"}}, "tables": tables}
        self.vtctl("ApplyVSchema", "--vschema", json.dumps(vschema), keyspace)

    def complaints(self, most=8):
        """The last errors in each program's log since it was up (before that: since its start), shortened."""
        for path in sorted(self.logs.glob("*.log")):
            with open(path, errors="replace") as log:
                log.seek(self.log_sizes.get(path, 0))
                lines = [shortened(line) for line in log if '"ERROR"' in line and "context canceled" not in line]
            if lines:
                yield path.name, lines[-most:]

    def tablets_of(self, keyspace, shard):
        """The primary first."""
        of_shard = [tablet for tablet in self.tablets if (tablet.keyspace, tablet.shard) == (keyspace, shard)]
        return sorted(of_shard, key=lambda tablet: not tablet.is_primary)

    def primary(self, keyspace, shard):
        return self.tablets_of(keyspace, shard)[0]

    def connect_mysqld(self, tablet):
        """To the tablet's own mysqld, around Vitess."""
        return sql.connect_socket(self.mysqlds.folder(tablet.uid) / "mysql.sock")

    def query_mysqld(self, tablet, statement):
        with self.connect_mysqld(tablet) as connection:
            return sql.query(connection, statement)[0][0]

    def _start_mysqlds(self):
        self.mysqlds.prepare_template(self.tablets[0].mysql_port)
        with ThreadPoolExecutor(max_workers=3) as pool:
            list(pool.map(lambda tablet: self.mysqlds.start(tablet.uid, tablet.mysql_port), self.tablets))

    def _start_topology(self):
        clients, peers = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.etcd_peer_port}"
        listening = flags(listen_client_urls=clients, advertise_client_urls=clients, listen_peer_urls=peers)
        cluster = flags(initial_advertise_peer_urls=peers, initial_cluster=f"default={peers}")
        self._spawn("etcd", self.install.mysql / "bin/etcd", *flags(data_dir=self.data / "etcd"), *listening, *cluster)
        self._wait_port("etcd", self.etcd_port)
        cell = flags(root=f"/vitess/{CELL}", server_address=f"127.0.0.1:{self.etcd_port}")
        self._program("vtctldclient", "--server=internal", *self.topology, "AddCellInfo", *cell, CELL)
        serving = flags(service_map="grpc-vtctl,grpc-vtctld", port=self.vtctld_web, grpc_port=self.vtctld_port)
        self._spawn("vtctld", self.install.bin / "vtctld", *self.topology, *self.backups, *serving)
        self._wait_port("vtctld", self.vtctld_port)
        for keyspace in KEYSPACES:
            self.vtctl("CreateKeyspace", "--durability-policy=none", keyspace)

    def start_vttablet(self, tablet):
        options = flags(
            tablet_path=tablet.alias,
            tablet_hostname="127.0.0.1",
            init_keyspace=tablet.keyspace,
            init_shard=tablet.shard,
            init_tablet_type="replica",
            port=tablet.web_port,
            grpc_port=tablet.grpc_port,
            service_map="grpc-queryservice,grpc-tabletmanager,grpc-updatestream",
            track_schema_versions="true",
            queryserver_config_schema_reload_time="10s",
            health_check_interval="1s",
            shard_sync_retry_delay="1s",
        )
        self._spawn(tablet.process, self.install.bin / "vttablet", *self.topology, *self.backups, *options)

    def _elect_primary(self, keyspace, shard):
        tablets = self.tablets_of(keyspace, shard)
        for tablet in tablets:
            self._wait_port(tablet.process, tablet.grpc_port)
        self.make_primary(tablets[0])

    def make_primary(self, tablet):
        """Makes it the primary of its shard; tries until that is so."""
        shard = f"{tablet.keyspace}/{tablet.shard}"

        def elected():
            self.vtctl("PlannedReparentShard", shard, "--new-primary", tablet.alias)
            return True

        self.wait(f"a primary of {shard}", elected)
        for other in self.tablets_of(tablet.keyspace, tablet.shard):
            other.is_primary = other is tablet

    def start_vtgate(self):
        options = flags(
            cell=CELL,
            cells_to_watch=CELL,
            tablet_types_to_wait="PRIMARY,REPLICA",
            tablet_refresh_interval="1s",
            service_map="grpc-vtgateservice",
            port=self.vtgate_web,
            grpc_port=self.grpc_port,
            mysql_server_port=self.mysql_port,
            mysql_server_bind_address="127.0.0.1",
            mysql_auth_server_impl="none",
        )
        self._spawn("vtgate", self.install.bin / "vtgate", *self.topology, *options)
        self._wait_port("vtgate", self.grpc_port)
        self._wait_port("vtgate", self.mysql_port)

    def states(self):
        """What VTGate thinks of each tablet, by alias."""
        with self.connect("") as connection:
            return {row[5]: row[4] for row in sql.query(connection, "show vitess_tablets")}

    def all_serving(self):
        return self.states() == {tablet.alias: "SERVING" for tablet in self.tablets}

    def _spawn(self, name, *command):
        with open(self.logs / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.data,
                env=self.environment,
                user="vitess",
                group="vitess",
                extra_groups=[],
                start_new_session=True,
            )

    def _program(self, name, *arguments):
        done = subprocess.run(
            [self.install.bin / name, *(str(a) for a in arguments)],
            env=self.environment,
            cwd=self.data,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise Failed(f"{name} {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout

    def _wait_port(self, name, port):
        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0

        self.wait(f"{name} to listen on port {port}", answers)

    @staticmethod
    def wait(what, condition, seconds=PATIENCE):
        """Until the condition holds; that the cluster refuses something meanwhile is no end."""
        deadline, said = time.monotonic() + seconds, ""
        while True:
            try:
                if condition():
                    return
            except (Failed, sql.SqlError, OSError) as failure:
                said = str(failure)
            if time.monotonic() > deadline:
                raise Failed(f"waited {seconds} s for {what}\n{said}")
            time.sleep(0.1)


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Cluster(install.ensure()) as cluster:
        try:
            cluster.start()
            print(
                f"vtgate: gRPC 127.0.0.1:{cluster.grpc_port}, MySQL 127.0.0.1:{cluster.mysql_port}; "
                f"logs: {cluster.logs}; Ctrl-C ends it",
                flush=True,
            )
            while True:
                signal.pause()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    sys.exit(main())
