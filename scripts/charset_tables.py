#!/usr/bin/env python3
"""Makes the tables in lib/encode/charsets/ of what a MySQL server answers.

  scripts/charset_tables.py SOCKET [USER]

SOCKET is that of any MySQL 8.0 or newer, USER (root) has no password. tests/vitess/cluster.py runs servers that will
do: the user is vt_dba, the sockets are vt_*/mysql.sock in the cluster's folder. Needs PyMySQL and clang-format does not
touch what it writes.
"""

import sys
import unicodedata
from pathlib import Path

import pymysql

FOLDER = Path(__file__).resolve().parent.parent / "lib/encode/charsets"
SINGLE = (
    "armscii8 ascii cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 dec8 geostd8 greek hebrew hp8 keybcs2 koi8r koi8u "
    "latin1 latin2 latin5 latin7 macce macroman swe7 tis620"
).split()
SEVERAL = "big5 cp932 eucjpms euckr gb18030 gb2312 gbk sjis ujis".split()
UNKNOWN = None
NONE = 0xFFFD  # in big5 and tis620 also in MySQL's own table, for the same


class Server:
    def __init__(self, socket, user):
        self.connection = pymysql.connect(unix_socket=socket, user=user, charset="utf8mb4", conv={})
        self.query("set cte_max_recursion_depth = 10000000")
        self.version = self.query("select version()")[0][0]

    def query(self, statement):
        with self.connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def characters(self, charset, count, sequence):
        """{n: code point} of those numbers below `count` whose byte sequence is one character, which MySQL may not know.

        `sequence` is an SQL expression of n, the bytes in hexadecimal.
        """
        rows = self.query(
            f"with recursive n(n) as (select 0 union all select n + 1 from n where n + 1 < {count})"
            f" select n, hex(convert(x using utf32))"
            f" from (select n, convert(unhex({sequence}) using {charset}) x from n) d where char_length(x) = 1"
        )
        answers = {int(n): int(code, 16) for n, code in rows if code}
        return {n: UNKNOWN if code == ord("?") and n != ord("?") else code for n, code in answers.items()}


def literal(codes):
    return 'u"' + "".join(map(shown, codes)) + '"'


def shown(code):
    """A character as it is where every editor shows it and leaves it alone, else its number."""
    c = chr(code)
    plain = unicodedata.category(c)[0] in "LNPS" and unicodedata.bidirectional(c) not in ("R", "AL", "AN")
    plain = plain and unicodedata.normalize("NFC", c) == c and code != NONE
    return ("\\" + c if c in '"\\' else c) if plain else f"\\u{code:04x}"


def row(characters):
    """{byte: code point} as a CharacterRow, from the first byte with a character to the last."""
    there = [byte for byte, code in characters.items() if code not in (UNKNOWN, NONE)]
    if not there:
        return "{}"
    first, last = min(there), max(there)
    codes = [characters.get(byte) or NONE for byte in range(first, last + 1)]
    assert max(codes) < 0x10000
    return f"{{0x{first:02x}, {literal(codes)}}}"


def constant(charset):
    return "k" + charset.capitalize()


def rows_by_lead(characters):
    """{lead * 256 + trail: code point}: the first lead and its row, and all rows after it."""
    leads = {n >> 8 for n, code in characters.items() if code not in (UNKNOWN, NONE)}
    return min(leads), {
        lead: row({n & 255: code for n, code in characters.items() if n >> 8 == lead})
        for lead in range(min(leads), max(leads) + 1)
    }


def ranges(numbers):
    """First and last of each run of numbers."""
    runs = []
    for n in sorted(numbers):
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return [end for run in runs for end in run]


def quad_runs(characters):
    """The runs of consecutive code points, and of none, as (first number, code point or 0)."""
    runs, expected = [], None
    for n in range(max(characters) + 1):
        code = characters.get(n) or 0
        if code != expected:
            runs.append((n, code))
        expected = code + 1 if code else 0
    return runs if not expected else [*runs, (max(characters) + 1, 0)]


def array(name, element, lines):
    return f"constexpr std::array<{element}, {len(lines)}> {name} = {{{{\n" + "".join(f"    {x},\n" for x in lines) + "}};\n"


def single_table(server, charset):
    characters = server.characters(charset, 256, "lpad(hex(n), 2, '0')")
    own = [byte for byte in range(128) if characters.get(byte) != byte]
    ascii_end = min(own) if own else 0x80
    singles = row({byte: code for byte, code in characters.items() if byte >= ascii_end})
    start = "" if ascii_end == 0x80 else f".ascii = 0x{ascii_end:02x}, "
    return f"constinit const CharacterTable {constant(charset)} = {{{start}.singles = {singles}}};\n"


def table_of_several(server, charset):
    singles = {n: c for n, c in server.characters(charset, 256, "lpad(hex(n), 2, '0')").items() if n >= 128}
    pairs = server.characters(charset, 65536, "lpad(hex(n), 4, '0')")
    pairs = {n: code for n, code in pairs.items() if n >= 0x8000}
    first_lead, rows = rows_by_lead(pairs)
    arrays = array("kPairs", "CharacterRow", [f"{text}  /* {lead:02x} */" for lead, text in rows.items()])
    trails = "".join(f"\\x{byte:02x}" for byte in ranges({n & 255 for n in pairs}))
    parts = [f".singles = {row(singles)}, " if row(singles) != "{}" else ""]
    parts += [f'.first_lead = 0x{first_lead:02x}, .pairs = kPairs, .trails = "{trails}"']
    if charset in ("eucjpms", "ujis"):
        second, rows = rows_by_lead(server.characters(charset, 65536, "concat('8f', lpad(hex(n), 4, '0'))"))
        empty = {lead: "{}" for lead in range(0xA1, second)}
        arrays += array("kTriples", "CharacterRow", [f"{t}  /* {lead:02x} */" for lead, t in {**empty, **rows}.items()])
        parts += [", .triples = kTriples"]
    if charset == "gb18030":
        bytes_of_n = "concat(hex(129 + n div 12600), hex(48 + n div 1260 % 10), hex(129 + n div 10 % 126), hex(48 + n % 10))"
        runs = quad_runs(server.characters(charset, 126 * 12600, bytes_of_n))
        arrays += array("kQuads", "QuadRun", [f"{{{first}, 0x{code:x}}}" for first, code in runs])
        parts += [", .quads = kQuads"]
    body = f"constinit const CharacterTable {constant(charset)} = {{{''.join(parts)}}};\n"
    return f"namespace {{\n\n{arrays}\n}}  // namespace\n\n{body}"


def write(server, name, body):
    (FOLDER / f"{name}.cpp").write_text(
        f"// Made by scripts/charset_tables.py of the answers of MySQL {server.version}.\n// clang-format off\n"
        f'#include "encode/charset_tables.h"\n\n#include <array>\n\nnamespace vstream {{\n{body}\n}}  // namespace vstream\n'
    )


def main():
    server = Server(*(sys.argv[1:] + ["root"])[:2])
    write(server, "single_byte", "\n" + "".join(single_table(server, charset) for charset in SINGLE))
    for charset in SEVERAL:
        write(server, charset, table_of_several(server, charset))


if __name__ == "__main__":
    main()
