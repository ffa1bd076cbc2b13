"""SQL connections. Values come as text or bytes, never as numbers or dates of Python's: nothing is lost on the way."""


def connect(port, target):
    """To VTGate; `target` is a keyspace, or one shard of it ("customer:-80")."""
    return _connect(host="127.0.0.1", port=port, user="root", database=target)


def connect_socket(path):
    """To a tablet's own mysqld, as its administrator."""
    return _connect(unix_socket=str(path), user="vt_dba")


def _connect(**where):
    import pymysql  # only importable once the cluster is installed

    try:
        return pymysql.connect(
            charset="utf8mb4", autocommit=True, conv={}, connect_timeout=10, read_timeout=300, **where
        )
    except pymysql.MySQLError as error:
        raise SqlError(f"could not connect to {where}: {error}") from None


def query(connection, statement):
    """All rows of one statement."""
    import pymysql

    with connection.cursor() as cursor:
        try:
            cursor.execute(statement)
        except pymysql.MySQLError as error:  # Vitess repeats the statement with all its values
            raise SqlError(f"{str(error).partition('(CallerID')[0][:500]}\nin: {statement[:300]}") from None
        return cursor.fetchall()


class SqlError(Exception):
    """The server refused a statement or a connection."""
