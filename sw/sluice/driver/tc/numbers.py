# SPDX-License-Identifier: Apache-2.0
"""Numbers as iproute2 reads and prints them: its units, its rounding, and its words for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sluice.support.errors import UserError

_REAL = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(.*)")
_WHOLE = re.compile(r"0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*")
_MOST = 2**32 - 1
_KIB = 1024
_SIZES = {
    "": 1,
    "b": 1,
    **dict.fromkeys(("k", "kb"), _KIB),
    **dict.fromkeys(("m", "mb"), _KIB**2),
    **dict.fromkeys(("g", "gb"), _KIB**3),
    "kbit": _KIB // 8,
    "mbit": _KIB**2 // 8,
    "gbit": _KIB**3 // 8,
}
_TIMES_US = {
    "": 1,
    **dict.fromkeys(("us", "usec", "usecs"), 1),
    **dict.fromkeys(("ms", "msec", "msecs"), 1_000),
    **dict.fromkeys(("s", "sec", "secs"), 1_000_000),
}
_RATES_BPS = {
    "": 1,
    "bit": 1,
    "bps": 8,
    **{f"{prefix}ibit": _KIB ** (i + 1) for i, prefix in enumerate("kmgt")},
    **{f"{prefix}bit": 1_000 ** (i + 1) for i, prefix in enumerate("kmgt")},
    **{f"{prefix}ibps": 8 * _KIB ** (i + 1) for i, prefix in enumerate("kmgt")},
    **{f"{prefix}bps": 8 * 1_000 ** (i + 1) for i, prefix in enumerate("kmgt")},
}

Reader = Callable[[str], float]
"""A number in a word; ValueError if there is none."""


def whole(text: str) -> int:
    """A 32-bit number: decimal, octal behind a 0, hexadecimal behind 0x."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    is_octal = text.startswith("0") and text[1:2].isdigit()
    return _in_word(int(text, 8 if is_octal else 0))


def real(text: str) -> float:
    """A plain number."""
    return _scaled(text, {"": 1})


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = real(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def size(text: str) -> int:
    """Bytes: 30000, 30k (of 1,024), 30kb, 8mbit."""
    return _in_word(_scaled(text, _SIZES))


def time_us(text: str) -> int:
    """Whole microseconds: 5ms, 100us, 0.1s; a plain number counts them."""
    return _in_word(_scaled(text, _TIMES_US))


def rate(text: str) -> int:
    """Whole bytes a second: 10mbit, 1.25MBps, 10000000."""
    return _in_word(_scaled(text, _RATES_BPS) / 8)


def _scaled(text: str, units: dict[str, int]) -> float:
    parts = _REAL.fullmatch(text)
    if not parts or parts[2].lower() not in units:
        raise ValueError(text)
    return float(parts[1]) * units[parts[2].lower()]


def _in_word(value: float) -> int:
    """Rounded down."""
    if not 0 <= value <= _MOST:
        raise ValueError(value)
    return int(value)


def settings(
    words: Sequence[str], readers: Mapping[str, Reader], flags: Sequence[str] = (), refused: Sequence[str] = ()
) -> dict[str, float]:
    """What NAME VALUE... says, each in its reader's units; a flag is 1 where it stands. The last of a name counts.

    `refused` are words that tc knows and no datapath has.
    """
    found: dict[str, float] = {}
    rest = iter(words)
    for word in rest:
        if word in refused:
            raise UserError(f"no datapath has '{word}'")
        if word in flags:
            found[word] = 1
            continue
        if word not in readers:
            raise UserError(f'What is "{word}"?')
        value = next(rest, None)
        if value is None:
            raise UserError('Command line is not complete. Try option "help"')
        try:
            found[word] = readers[word](value)
        except ValueError:
            raise UserError(f'Illegal "{word}"') from None
    return found


def size_text(count: int) -> str:
    """Bytes as text output has them: in KiB or MiB where they are nearly whole ones."""
    for unit, bytes_, near in (("Mb", _KIB**2, 1024), ("Kb", _KIB, 16)):
        many = round(count / bytes_)
        if count >= bytes_ and abs(many * bytes_ - count) < near:
            return f"{many:g}{unit}"
    return f"{count}b"


def time_text(count_us: int) -> str:
    """A time as text output has it, with three digits."""
    for unit, least in (("s", 1_000_000), ("ms", 1_000)):
        if count_us >= least:
            return f"{count_us / least:.3g}{unit}"
    return f"{count_us}us"
