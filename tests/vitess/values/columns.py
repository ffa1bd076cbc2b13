"""The table that has every column type: each column's definition, how to compare it and what to put into it."""

from . import make

TABLE = "every_type"
KEY = "id"
COUNTER = "i64"  # the column in which a marker row carries its number


class Column:
    """`kind` names the comparison (compare.KINDS); `special` are SQL expressions, `random` makes one."""

    def __init__(self, name, definition, kind, special, random):
        self.name, self.definition, self.kind, self.special, self.random = name, definition, kind, special, random


def _integers():
    for name, bits in (("tiny", 8), ("small", 16), ("medium", 24), ("", 32), ("big", 64)):
        for unsigned in (False, True):
            low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            column = f"u{bits}" if unsigned else f"i{bits}"
            yield Column(column, f"{name}int{' unsigned' if unsigned else ''}", "integer", *make.integers(low, high))
    yield Column("zerofill", "int(7) unsigned zerofill", "integer", *make.integers(0, 2**32 - 1))
    yield Column(
        "year_", "year", "integer", ["0", "'0000'", "1901", "2155", "2024"], lambda r: str(r.randint(1901, 2155))
    )
    yield Column("bool_", "tinyint(1)", "integer", ["0", "1", "-128", "127"], lambda r: str(r.randint(0, 1)))
    for bits in (1, 10, 64):
        yield Column(f"bit{bits}", f"bit({bits})", "bit", *make.integers(0, 2**bits - 1))


def _fractions():
    for digits, scale in ((65, 30), (65, 0), (10, 2), (5, 5), (20, 6), (1, 0)):
        yield Column(f"dec{digits}_{scale}", f"decimal({digits},{scale})", "decimal", *make.decimals(digits, scale))
    yield Column(
        "udec",
        "decimal(12,3) unsigned",
        "decimal",
        ["'0'", "'999999999.999'", "'0.001'"],
        lambda r: f"'{r.randint(0, 10**12 - 1) / 1000:.3f}'",
    )
    yield Column("float_", "float", "float", *make.floats())
    yield Column(
        "float7_3",
        "float(7,3)",
        "float",
        ["'0'", "'1.5'", "'-9999.999'", "'9999.999'", "'0.001'"],
        lambda r: f"'{r.uniform(-9999, 9999):.3f}'",
    )
    yield Column("double_", "double", "double", *make.doubles())
    yield Column(
        "double20_4",
        "double(20,4)",
        "double(m,d)",
        ["'0'", "'1234567.12345'", "'-0.0001'"],
        lambda r: f"'{r.uniform(-1e12, 1e12):.4f}'",
    )


def _times():
    yield Column("date_", "date", "as printed", *make.dates())
    for digits in (0, 3, 6):
        yield Column(f"datetime{digits}", f"datetime({digits})", "as printed", *make.datetimes(digits))
    for digits in (0, 2, 6):
        yield Column(f"time{digits}", f"time({digits})", "as printed", *make.times(digits))
    for digits in (0, 3, 6):
        yield Column(f"timestamp{digits}", f"timestamp({digits}) null", "timestamp", *make.timestamps(digits))


def _texts():
    collations = ("utf8mb4", "utf8mb4_bin", "utf8mb3", "utf8mb3_bin", "ascii", "latin1", "latin1_bin", "cp1251",
                  "gbk", "sjis_bin", "gb18030", "utf16", "swe7")
    for collation in collations:
        charset = collation.removesuffix("_bin")
        how = f"character set {charset} collate {collation}" if collation != charset else f"character set {charset}"
        for name, definition in (("char", "char(40)"), ("varchar", "varchar(300)"), ("text", "text")):
            yield Column(f"{name}_{collation}", f"{definition} {how}", "text", *make.texts(charset))
    for size in ("tiny", "medium", "long"):
        yield Column(
            f"{size}text_", f"{size}text character set utf8mb4", "text", *make.texts("utf8mb4", size != "tiny")
        )


def _bytes():
    yield Column("binary_", "binary(8)", "bytes", *make.byte_strings(8))
    yield Column("varbinary_", "varbinary(300)", "bytes", *make.byte_strings(300))
    yield Column("char_binary", "char(5) character set binary", "bytes", *make.byte_strings(5))
    yield Column("tinyblob_", "tinyblob", "bytes", *make.byte_strings(255))
    yield Column("blob_", "blob", "bytes", *make.byte_strings(3000))
    yield Column("mediumblob_", "mediumblob", "bytes", *make.byte_strings(70000))
    yield Column("longblob_", "longblob", "bytes", *make.byte_strings(200000))
    yield Column("geometry_", "geometry", "bytes", *make.geometries())
    yield Column(
        "point_",
        "point",
        "bytes",
        ["st_geomfromtext('POINT(0 0)')", "st_geomfromtext('POINT(1 2)', 4326)"],
        lambda r: f"st_geomfromtext('POINT({r.uniform(-9, 9)} {r.randint(-9, 9)})')",
    )


def _labels():
    labels = ["plain", "it''s", 'quo"te', "comma;", "a\\\\b", "1", "0", " lead", "ünï", "日本", ""]
    for name, charset, own in (
        ("utf8", "utf8mb4", labels),
        ("bin", "utf8mb4 collate utf8mb4_bin", labels),
        ("latin1", "latin1", ["plain", "café", "€uro", "Ã©", "ÿ"]),
        ("latin1_bin", "latin1 collate latin1_bin", ["plain", "café", "€uro", "Ã©"]),
        ("cp1251", "cp1251", ["plain", "привет", "Ж"]),
        ("gbk", "gbk collate gbk_bin", ["plain", "中文", "·"]),
        ("utf16", "utf16", ["plain", "ж日", "é"]),
    ):
        quoted = ",".join(f"'{label}'" for label in own)
        yield Column(f"enum_{name}", f"enum({quoted}) character set {charset}", "text", *make.enums(len(own)))
        yield Column(f"set_{name}", f"set({quoted}) character set {charset}", "text", *make.sets(len(own)))


def _others():
    yield Column("json_", "json", "json", *make.documents())
    yield Column("vector_", "vector(4)", "vector", *make.vectors(4))


COLUMNS = [*_integers(), *_fractions(), *_times(), *_texts(), *_bytes(), *_labels(), *_others()]
BY_NAME = {column.name: column for column in COLUMNS}


def create_statement():
    lines = ",\n ".join(f"`{column.name}` {column.definition}" for column in COLUMNS)
    return f"create table {TABLE} ({KEY} bigint primary key,\n {lines})"
