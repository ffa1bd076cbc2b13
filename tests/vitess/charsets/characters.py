"""Which byte sequences are characters of which set, asked of a MySQL server: nothing here is known beforehand."""

from dataclasses import dataclass, field

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
BASIC = [c for c in CODE_POINTS if c < 0x10000]
UNICODE = {
    "utf8mb3": ("utf-8", BASIC),
    "utf8mb4": ("utf-8", CODE_POINTS),
    "ucs2": ("utf-16-be", BASIC),
    "utf16": ("utf-16-be", CODE_POINTS),
    "utf16le": ("utf-16-le", CODE_POINTS),
    "utf32": ("utf-32-be", CODE_POINTS),
}
ALL_OF_UNICODE = {"gb18030": CODE_POINTS}  # these are too many to be tried byte by byte
WIDE = {"ucs2", "utf16", "utf16le", "utf32"}  # whose ASCII is more than one byte


@dataclass
class Characters:
    """`known` byte sequences and the code points they stand for; `unknown` ones are no character to MySQL."""

    known: list = field(default_factory=list)
    unknown: list = field(default_factory=list)

    def add(self, sequence, code):
        if code == ord("?") and sequence != b"?":
            self.unknown.append(sequence)
        elif code == 0xFFFD and len(sequence) < 3:  # MySQL's own table says so
            self.unknown.append(sequence)
        else:
            self.known.append((sequence, code))


def charsets(query):
    """The names of all sets of text."""
    rows = query("select character_set_name from information_schema.character_sets order by 1")
    return [name for (name,) in rows if name != "binary"]


def characters(query, charset):
    if charset in UNICODE:
        encoding, codes = UNICODE[charset]
        return Characters(known=[(chr(code).encode(encoding), code) for code in codes])
    result = Characters()
    for width, prefix, count in ((2, "", 256), (4, "", 65536), (4, "8f", 65536)):
        _try_all(query, charset, prefix, width, count, result)
    if charset in ALL_OF_UNICODE:
        _encode_all(query, charset, ALL_OF_UNICODE[charset], result)
    return result


def _try_all(query, charset, prefix, digits, count, result):
    """Every sequence of that many hexadecimal digits after the prefix that is one character to MySQL."""
    rows = query(
        f"with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < {count})"
        f" select n, hex(convert(text using utf32)) from (select n, convert(unhex(concat('{prefix}',"
        f" lpad(hex(n), {digits}, '0'))) using {charset}) text from numbers) tried where char_length(text) = 1"
    )
    for number, code in rows:
        sequence = bytes.fromhex(f"{prefix}{int(number):0{digits}x}")
        if code and (len(sequence) == 1 or sequence[0] >= 0x80):
            result.add(sequence, int(code, 16))


def _encode_all(query, charset, codes, result):
    """The sequences of all these code points that were not found yet."""
    have = {code for _, code in result.known}
    codes = [code for code in codes if code not in have]
    for first in range(0, len(codes), 10000):
        some = codes[first : first + 10000]
        text = "".join(map(chr, some)).encode("utf-32-be").hex()
        (encoded,) = query(f"select hex(convert(_utf32 x'{text}' using {charset}))")[0]
        encoded = bytes.fromhex(encoded)
        if len(encoded) != 4 * len(some):
            raise ValueError(f"{charset} does not have all of {some[0]:x} to {some[-1]:x}")
        result.known += [(encoded[4 * i : 4 * i + 4], code) for i, code in enumerate(some)]
