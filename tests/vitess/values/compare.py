"""Compares what a Fold holds with the source, column by column.

The source is asked in forms that share nothing with vstream: text and bytes as HEX, numbers and times as CHAR.
"""

import base64
import struct
from decimal import Decimal

from .columns import COLUMNS, KEY, TABLE
from .fold import Number, parse

PAGE = 40  # rows of the source asked for at once: some are large


def utf8(expression):
    return f"hex(convert({expression} using utf8mb4))"


# kind: (SQL expressions for the source's value, does it match: (printed, source texts, row) -> bool)
KINDS = {
    "integer": (["cast({c} as char)"], lambda printed, s, row: is_number(printed) and printed == str(int(s[0]))),
    "bit": (["cast({c} + 0 as char)"], lambda printed, s, row: is_number(printed) and printed == s[0]),
    "decimal": (["cast({c} as char)"], lambda printed, s, row: is_string(printed) and printed == s[0]),
    "float": (["cast({c} as char)", "cast(cast({c} as double) as char)"], lambda *a: same_floating("fd", *a)),
    "double": (
        ["cast({c} as char)"],
        lambda printed, s, row: is_number(printed) and same_bits("d", float(printed), float(s[0])),
    ),
    # CAST shows the whole value of such a column with too few digits; JSON shows all.
    "double(m,d)": (
        ["cast({c} as char)", "trim(both ']' from trim(both '[' from cast(json_array({c}) as char)))"],
        lambda *a: same_floating("d", *a),
    ),
    "as printed": (["cast({c} as char)"], lambda printed, s, row: is_string(printed) and printed == s[0]),
    "timestamp": (["cast({c} as char)"], lambda printed, s, row: is_string(printed) and printed == rfc3339(s[0])),
    "text": ([utf8("{c}")], lambda printed, s, row: is_string(printed) and printed == text(s[0])),
    "bytes": (["hex({c})"], lambda printed, s, row: is_string(printed) and decode64(printed) == bytes.fromhex(s[0])),
    "json": ([utf8("cast({c} as char)")], lambda printed, s, row: same_json(printed, parse(text(s[0])))),
    "vector": (["hex({c})"], lambda *a: same_vector(*a)),
}


def source_rows(query):
    """All rows of the table: {key: {column: tuple of texts, or None}}. `query` runs a statement and gives its rows."""
    expressions = [KEY]
    for column in COLUMNS:
        expressions += [expression.format(c=f"`{column.name}`") for expression in KINDS[column.kind][0]]
    keys = sorted(int(row[0]) for row in query(f"select {KEY} from {TABLE}"))
    result = {}
    for first in range(0, len(keys), PAGE):
        page = keys[first : first + PAGE]
        for row in query(f"select {', '.join(expressions)} from {TABLE} where {KEY} in ({','.join(map(str, page))})"):
            result[str(row[0])] = _by_column(list(row[1:]))
    return result


def _by_column(texts):
    values = {}
    for column in COLUMNS:
        count = len(KINDS[column.kind][0])
        own, texts = [_text(t) for t in texts[:count]], texts[count:]
        values[column.name] = None if own[0] is None else tuple(own)
    return values


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def differences(rows, source):
    """Every difference between held rows (Fold.rows) and source_rows(), as sentences."""
    for key in sorted(source.keys() - rows.keys(), key=int):
        yield f"row {key} is missing"
    for key in sorted(rows.keys() - source.keys(), key=int):
        yield f"row {key} is not in the source"
    for key in sorted(rows.keys() & source.keys(), key=int):
        for column in COLUMNS:
            problem = _problem(rows[key], column, source[key][column.name])
            if problem:
                phase = "copied" if rows[key].copied else "changed"
                yield f"row {key} ({phase}), {column.name} {column.definition}: {problem}"


def _problem(row, column, source):
    printed, notes = row.values[column.name], {note for note, names in row.notes.items() if column.name in names}
    if source is None or printed is None:
        if printed is None and source == (b"null".hex().upper(),) and column.kind == "json":
            return None if "json_null" in notes else "a JSON null that 'json_null' does not name"
        return None if source is printed else f"printed {_short(printed)}, source {_short(source)}"
    if not KINDS[column.kind][1](printed, source, row):
        return f"printed {_short(printed)}, source {_short(source)}"
    # A column is named once for both images, so what is named may be owed to the image before.
    if column.kind == "bytes" and "base64" not in notes:
        return "'base64' does not name it"
    if column.kind != "bytes" and "base64" in notes:
        return "'base64' names it"
    return "'lossy' names it" if "lossy" in notes else None


def _short(value):
    shown = repr(value)
    return shown if len(shown) <= 200 else f"{shown[:150]}… ({len(shown)} characters)"


def is_number(printed):
    return isinstance(printed, Number)


def is_string(printed):
    return isinstance(printed, str) and not isinstance(printed, Number)


def text(hexadecimal):
    return bytes.fromhex(hexadecimal).decode("utf-8")


def decode64(printed):
    try:
        return base64.b64decode(printed, validate=True)
    except ValueError:  # also what base64's own error is
        return None


def same_bits(form, a, b):
    """The sign of zero counts; what is too large for a FLOAT equals nothing."""
    try:
        return struct.pack(form, a) == struct.pack(form, b)
    except OverflowError:
        return False


def same_floating(forms, printed, source, row):
    """A copy carries the text of CHAR (six digits of a FLOAT, D of a DOUBLE(M,D)), the binlog the whole value.

    A FLOAT may be equal as DOUBLE only: six digits of the largest one are more than a FLOAT can hold.
    """
    known = float(source[0] if row.copied else source[1])
    return is_number(printed) and any(same_bits(form, float(printed), known) for form in forms)


def rfc3339(mysql):
    return mysql if mysql.startswith("0000-00-00") else mysql.replace(" ", "T") + "Z"


def same_json(a, b):
    if isinstance(a, Number) and isinstance(b, Number):
        # Doubles may be written with another number of digits, so equal doubles are enough for what has an exponent.
        exact = Decimal(a) == Decimal(b) and a.startswith("-") == b.startswith("-")
        return exact or ("e" in (a + b).lower() and same_bits("d", float(a), float(b)))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    return a == b


def same_vector(printed, source, row):
    data = bytes.fromhex(source[0])
    if not isinstance(printed, list) or len(printed) * 4 != len(data) or not all(map(is_number, printed)):
        return False
    return all(same_bits("f", float(one), two) for one, two in zip(printed, struct.unpack(f"<{len(printed)}f", data)))
