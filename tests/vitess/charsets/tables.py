"""Tables with text in every character set."""

from rig import sql

from .characters import UNICODE, WIDE

CHARACTERS = 4096  # in one value of a TEXT column
SHORT = 30  # in one value of the others


class Table:
    """`columns`: {name: definition}; `rows`: lists of SQL values, in that order, for the keys 1, 2, 3 …"""

    def __init__(self, name, columns, rows):
        self.name, self.columns, self.rows = name, columns, rows

    def create_statement(self):
        columns = ", ".join(f"`{name}` {definition}" for name, definition in self.columns.items())
        return f"create table {self.name} (id int primary key, {columns})"

    def fill(self, connection):
        for key, row in enumerate(self.rows, 1):
            sql.query(connection, f"insert into {self.name} values ({key}, {', '.join(row)})")

    def texts(self, query):
        """{key: {column: text}} as MySQL translates it."""
        names = [f"hex(convert(`{name}` using utf8mb4))" for name in self.columns]
        return {
            str(key): {name: value and bytes.fromhex(value).decode() for name, value in zip(self.columns, values)}
            for key, *values in query(f"select id, {', '.join(names)} from {self.name}")
        }


def every_character(sets):
    """A TEXT column of each set that holds all that the set has."""
    pieces = {charset: list(_pieces([s for s, _ in have.known], CHARACTERS)) for charset, have in sets.items()}
    count = max(map(len, pieces.values()))
    rows = [[_hex(own[i]) if i < len(own) else "null" for own in pieces.values()] for i in range(count)]
    return Table("every_character", {c: f"mediumtext character set {c}" for c in sets}, rows)


def every_type(name, sets, binary_collations, row_count):
    """CHAR, VARCHAR, ENUM and SET columns, also with a _bin collation (and TEXT with one), of each of these sets."""
    columns, values = {}, {}
    for charset, have in sets.items():
        texts = [_short_text(charset, have.known, turn, row_count) for turn in range(row_count)]
        labels = _labels(have.known)
        quoted = ",".join(f"'{label}'" for label in labels)
        for collation in ("", binary_collations[charset]):
            how = f"character set {charset}" + (f" collate {collation}" if collation else "")
            own = charset + ("_bin" if collation else "")
            for kind in (f"char({SHORT})", f"varchar({SHORT})", *(["text"] if collation else [])):
                columns[f"{kind.partition('(')[0]}_{own}"] = f"{kind} {how}"
                values[f"{kind.partition('(')[0]}_{own}"] = texts
            for kind in ("enum", "set"):
                columns[f"{kind}_{own}"] = f"{kind}({quoted}) {how}"
            values[f"enum_{own}"] = [str(1 + turn % len(labels)) for turn in range(row_count)]
            values[f"set_{own}"] = [str(turn % 2 ** len(labels)) for turn in range(row_count)]
    return Table(name, columns, [[values[column][turn] for column in columns] for turn in range(row_count)])


def every_collation(sets, collations):
    """A column of each collation: `collations` is {name: charset}."""
    columns = {name: f"varchar(4) collate {name}" for name in collations}
    row = [_hex(b"".join(s for s, _ in sets[charset].known[-2:])) for charset in collations.values()]
    return Table("every_collation", columns, [row])


def unknown_characters(sets):
    """A column of each set for which there are bytes that mean nothing, and the text to be printed for them."""
    unknown = {charset: _storable(charset, have) for charset, have in sets.items()}
    unknown = {charset: sequences for charset, sequences in unknown.items() if sequences}
    row = [_hex(b"a" + b"a".join(sequences)) for sequences in unknown.values()]
    texts = {charset: "a" + "a".join("\ufffd" * len(sequences)) for charset, sequences in unknown.items()}
    return Table("unknown_characters", {c: f"mediumtext character set {c}" for c in unknown}, [row]), texts


def _storable(charset, have):
    """MySQL refuses single bytes that cannot be one character of a set of several bytes, and all beyond ASCII."""
    if charset == "ascii":
        return []
    several = max(len(sequence) for sequence, _ in have.known) > 1
    return [sequence for sequence in have.unknown if len(sequence) > 1 or not several]


def _pieces(sequences, count):
    for first in range(0, len(sequences), count):
        yield b"".join(sequences[first : first + count])


def _short_text(charset, known, turn, turns):
    """Some characters of the set, all of them over all turns if they are few; CHAR would lose a blank at the end."""
    step = max(1, len(known) // (turns * (SHORT - 1)))
    chosen = [known[(turn * (SHORT - 1) + i) * step % len(known)][0] for i in range(SHORT - 1)]
    end = "a".encode(UNICODE[charset][0]) if charset in WIDE else b"a"
    return _hex(b"".join(chosen) + end)


def _labels(known):
    """Up to U+FFFF: the binlog's labels lose the others, before they come to us."""
    letters = [chr(code) for _, code in known if code < 0x10000 and chr(code).isalpha()]
    chosen = letters[:: max(1, len(letters) // 15)]
    return [f"{i}{''.join(chosen[i * 3 : i * 3 + 3])}" for i in range(5)]


def _hex(value):
    return f"x'{value.hex()}'"
