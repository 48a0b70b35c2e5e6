# SPDX-License-Identifier: Apache-2.0
"""The words of tc against tc itself: what it made of command lines, and what it printed of numbers, both in answers.json."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from sluice.driver.tc import kind as kinds
from sluice.driver.tc import numbers
from sluice.driver.tc.kinds import KINDS
from sluice.driver.tc.reading import Reading
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice.support.errors import UserError

ANSWERS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("answers.json").read_text())["cases"]
GIVEN = [case for case in ANSWERS if "request" in case]
REFUSED = [case for case in ANSWERS if "error" in case]
MTU_BYTES = 1514
AVPKTS = {"64": 64, "500": 500, "1000": 1000, "1500": 1500, "1k": 1024, "1500b": 1500}
RATES = {
    "10mbit": 1250000,
    "1gbit": 125000000,
    "2.5Gbit": 312500000,
    "512kbit": 64000,
    "1.25MBps": 1250000,
    "100kibit": 12800,
    "10000000": 1250000,
    "3.3mbit": 412500,
    "8MiBps": 8388608,
}
"""Bytes a second."""

LINUX_PIE = {
    "min_bytes": 2 * MTU_BYTES,
    "max_burst": 150_000_000,
    "max_step": (2**31 + 25) // 50,
    "late_delay": 250_000_000,
    "mark_most": (2**31 + 5) // 10,
    "decay_empty": 1,
    "derandomise": 1,
}
"""What net/sched/sch_pie.c and include/net/pie.h have as constants."""


def registers(kind: str) -> RegisterMap:
    return RegisterMap.load(paths.made(paths.register_map(f"{kind}-512")))


def label(case: dict[str, Any]) -> str:
    return f"{case['kind']} {case['words']}"


def kept_ns(time_us: int) -> int:
    """As Linux keeps a time of CoDel's."""
    return (time_us * 1000 >> 10) << 10


def expected(kind: str, asked: dict[str, int]) -> dict[str, int]:
    """Register words for a request to the kernel; those of what it does not have are left out."""
    if kind in ("red", "choke"):
        unit = 1 << 14 if kind == "choke" else (1 << 14) // 64
        words = {
            "limit" if kind == "choke" else "limit_bytes": asked["limit"],
            "min": asked["min"] * unit,
            "max": asked["max"] * unit,
            "weight_exponent": asked["Wlog"],
            "probability": (asked["max_P"] + 1) // 2,
            "ecn": asked["flags"] & 1,
            "hard_drop": asked["flags"] >> 1 & 1,
        }
        return words | ({"byte_mode": 1, "gentle": 0, "wait": 0, "mark_most": 1 << 31} if kind == "red" else {})
    if kind == "codel":
        times = {name: kept_ns(asked[name]) for name in ("target", "interval", "ce_threshold") if name in asked}
        others = {name: asked[name] for name in ("limit", "ecn") if name in asked}
        return times | others | {"min_bytes": MTU_BYTES, "mark_most": 255}
    if kind == "pie":
        words = {name: asked[name] for name in ("limit", "ecn") if name in asked}
        words |= {"target": asked["target"] * 1000 >> 6 << 6} if "target" in asked else {}
        words |= {"tupdate": asked["tupdate"] * 1000} if "tupdate" in asked else {}
        words |= {name: asked[name] << 12 for name in ("alpha", "beta") if name in asked}
        return words | LINUX_PIE
    return {
        "warmup": asked["db"] * 1000,
        "rehash": asked["rehash"] // asked["db"],
        "bin_max": asked["max"],
        "bin_size": asked["target"],
        "limit": asked["limit"] or 1000,
        "ecn": 1,
        **{name: asked[name] for name in ("increment", "decrement", "penalty_rate", "penalty_burst")},
    }


def raw(case: dict[str, Any]) -> dict[str, int]:
    """Register words that the words of a case come to."""
    its = registers(case["kind"])
    settings = KINDS[case["kind"]].settings(case["words"].split())
    return {name: its.parameter(name).raw(value) for name, value in settings.items()}


@pytest.mark.parametrize("case", GIVEN, ids=label)
def test_words_come_to_the_kernels_numbers(case: dict[str, Any]) -> None:
    """Every register word is what the request of tc for these words says, by the kernel's arithmetic."""
    words = raw(case)
    given = dict(itertools.pairwise(case["words"].split()))
    if case["kind"] in ("red", "choke"):
        avpkt = AVPKTS[given.get("avpkt", "1000")]
        assert words.pop("avpkt", avpkt) == avpkt
        assert words.pop("idle_rate") == round(RATES[given.get("bandwidth", "10mbit")] / avpkt * 16e-9 * 2**32)
    if case["kind"] == "red":
        assert words.pop("limit") == 1000
    assert words == expected(case["kind"], case["request"])


@pytest.mark.parametrize("case", REFUSED, ids=label)
def test_what_tc_refuses(case: dict[str, Any]) -> None:
    """Is refused here too."""
    with pytest.raises(UserError):
        raw(case)


def reading(case: dict[str, Any]) -> Reading:
    """What the registers of a case's datapath would say, other parameters at their defaults."""
    its = registers(case["kind"])
    default = {name: field.raw(its.defaults[name]) for name, field in its.parameters.items()}
    words = default | raw(case)
    values = {name: its.parameter(name).value(word) for name, word in words.items()}
    return Reading(values, case["counters"], case["status"])


@pytest.mark.parametrize("case", GIVEN, ids=label)
def test_prints_as_tc_does(case: dict[str, Any]) -> None:
    """Byte for byte, in JSON and in text, with and without statistics, details and the device's name."""
    for flags, wanted in case["shown"].items():
        words = flags.split()
        device = "" if "dev" in words else "lo"
        shown = kinds.show(
            KINDS[case["kind"]], 0, reading(case), device, details="-d" in words, statistics="-s" in words
        )
        assert (f"[{shown.json}]\n" if "-j" in words else shown.text) == wanted


@pytest.mark.parametrize(
    ("kind", "words", "says"),
    [
        ("red", "limit 100k", "RED: Required parameter (limit, avpkt) is missing"),
        ("red", "limit 100k avpkt 1000 adaptive", "no datapath has 'adaptive'"),
        ("red", "limit 100k avpkt", "Command line is not complete"),
        ("red", "limit 100q avpkt 1000", 'Illegal "limit"'),
        ("red", "limit -5 avpkt 1000", 'Illegal "limit"'),
        ("red", "limit 100k avpkt 1000 probability -0.1", "RED: failed to calculate probability."),
        ("choke", "limit 100", "Required parameter (bandwidth, limit) is missing"),
        ("choke", "limit 100 bandwidth 10furlong", 'Illegal "bandwidth"'),
        ("choke", "limit 100 bandwidth 1mbit avpkt 0", 'Illegal "avpkt"'),
        ("codel", "target soon", 'Illegal "target"'),
        ("pie", "alpha 33", 'Illegal "alpha"'),
        ("pie", "bytemode", "no datapath has 'bytemode'"),
        ("codel", "targets 5ms", 'What is "targets"?'),
        ("sfb", "increment 1.5", 'Illegal "increment"'),
        ("sfb", "limit 08", 'Illegal "limit"'),
        ("sfb", "rehash 1000 db 600", "a datapath's rehash is a multiple of db, and 1000 is none of 600"),
        ("sfb", "db 0", "a datapath's rehash is a multiple of db, and 600000 is none of 0"),
    ],
)
def test_mistakes(kind: str, words: str, says: str) -> None:
    """In tc's own words, where it has some."""
    with pytest.raises(UserError) as refused:
        KINDS[kind].settings(words.split())
    assert str(refused.value.message).startswith(says)


def test_numbers_as_tc_writes_them() -> None:
    """Units are binary in sizes, decimal in rates; what is not whole is rounded down."""
    assert [numbers.size(text) for text in ("30000", "30k", "1.5kb", "2Mb", "8kbit")] == [
        30000,
        30720,
        1536,
        2**21,
        1024,
    ]
    assert [numbers.rate(text) for text in ("10mbit", "1.25MBps", "8kibit", "100")] == [1250000, 1250000, 1024, 12]
    assert [numbers.time_us(text) for text in ("5ms", "100", "1.5s", "0.25us")] == [5000, 100, 1500000, 0]
