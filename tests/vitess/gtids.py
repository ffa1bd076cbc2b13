"""GTID sets as sets of (server, number): small ones, of a test cluster."""


def parse(gtid):
    """Of "MySQL56/uuid:1-5:7,uuid:…", with or without the flavor."""
    found = set()
    for part in gtid.rpartition("/")[2].replace("\n", "").split(","):
        server, *intervals = part.strip().split(":")
        for interval in intervals:
            first, _, last = interval.partition("-")
            found.update((server, number) for number in range(int(first), int(last or first) + 1))
    return found


def by_shard(position):
    """{shard: set} of "ks/shard@MySQL56/…,ks/shard@…"."""
    shards = {}
    for part in position.split(","):
        place, at, gtid = part.rpartition("@")
        if at:
            shard = place.partition("/")[2]
            shards[shard] = set()
        shards[shard] |= parse(gtid)
    return shards


def to_text(transactions):
    return ", ".join(f"{server}:{number}" for server, number in sorted(transactions)[:20]) or "none"
