# SPDX-License-Identifier: Apache-2.0
"""What tests have found knows its RTL and its day: what becomes a row, what stays as it is, what is due, what bears a dagger."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sluice.hardware import catalog
from sluice.pages import evidence, result_tables
from sluice.pages.evidence import CONFORMANCE, PROOFS

Sluice = Callable[..., tuple[int, str, str]]

COUNTS: dict[str, Any] = dict.fromkeys(("heads", "fates", "departures", "idle", "ticks", "victims"), 0) | {
    "clocks": 2_000,
    "arrivals": 1_500,
    "sets": 3,
    "resets": 2,
    "verdicts": "pass 1400; Unforced drop 100",
}
PAGE = "<!-- table conformance -->\n<!-- end of table -->\nAfter.\n"


@pytest.fixture
def small(project: Path) -> Path:
    """The small project with RTL of all that is compared and proved."""
    for kind in evidence.ALL:
        for subject in kind.subjects():
            change(kind, subject, "first")
    return project


def change(kind: evidence.Evidence, subject: str, what: str) -> None:
    file = kind.verilog(subject)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"module top; wire {what}; endmodule\n")


def at(monkeypatch: pytest.MonkeyPatch, day: str) -> None:
    monkeypatch.setattr(
        evidence, "datetime", SimpleNamespace(date=SimpleNamespace(today=lambda: datetime.date.fromisoformat(day)))
    )


def rows() -> dict[str, dict[str, str]]:
    return {row["config"]: row for row in CONFORMANCE.rows()}


def test_a_row_changes_with_the_rtl_and_the_counts_but_not_with_the_day(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, "2026-01-05")
    CONFORMANCE.leave(config="red", **COUNTS)
    CONFORMANCE.leave(config="fred", **COUNTS)
    assert CONFORMANCE.collect() == 2
    first = CONFORMANCE.table.read_text()
    at(monkeypatch, "2026-02-06")
    CONFORMANCE.leave(config="red", **COUNTS)
    assert CONFORMANCE.collect() == 0
    assert CONFORMANCE.table.read_text() == first
    CONFORMANCE.leave(config="red", **COUNTS | {"arrivals": 1_501})
    assert CONFORMANCE.collect() == 1
    assert {name: (row["arrivals"], row["date"]) for name, row in rows().items()} == {
        "fred": ("1500", "2026-01-05"),
        "red": ("1501", "2026-02-06"),
    }
    change(CONFORMANCE, "fred", "another")
    CONFORMANCE.leave(config="fred", **COUNTS)
    assert CONFORMANCE.collect() == 1
    assert rows()["fred"]["date"] == "2026-02-06"


def test_what_was_found_on_earlier_rtl_is_due_and_bears_a_dagger(small: Path) -> None:
    for config in catalog.load().config_names:
        CONFORMANCE.leave(config=config, **COUNTS)
    CONFORMANCE.collect()
    fresh = result_tables.rewritten(small / "page.md", PAGE)
    assert "| `red` | 2,000 | 1,500 | | | | | | 3 | 2 | | pass 1,400, Unforced drop 100 | `" in fresh
    assert "†" not in fresh
    assert CONFORMANCE.due() == []
    change(CONFORMANCE, "fred", "another")
    old = result_tables.rewritten(small / "page.md", fresh)
    assert "| `red` | 2,000" in old
    assert "| `fred` † | 2,000" in old
    assert old.count("\n† ") == 1
    assert old.endswith("\n<!-- end of table -->\nAfter.\n")
    assert CONFORMANCE.due() == ["fred"]


def test_a_record_of_earlier_rtl_or_of_a_test_that_failed_since_is_not_taken(small: Path) -> None:
    CONFORMANCE.leave(config="fred", **COUNTS)
    change(CONFORMANCE, "fred", "another")
    CONFORMANCE.leave(config="red", **COUNTS)
    CONFORMANCE.forget("red")
    CONFORMANCE.forget("red")
    assert CONFORMANCE.collect() == 0
    assert not CONFORMANCE.table.exists()


def test_a_row_of_what_is_gone_goes(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PROOFS.leave(proof="ring", mode="prove", depth=7)
    PROOFS.leave(proof="ring", mode="cover", depth=9)
    PROOFS.leave(proof="sweep", mode="bmc", depth=5)
    assert PROOFS.collect() == 3
    claims = evidence.claims()
    claims.pop("sweep")
    monkeypatch.setattr(evidence, "claims", lambda: claims)
    assert PROOFS.collect() == 1
    assert [(row["proof"], row["mode"], row["depth"]) for row in PROOFS.rows()] == [
        ("ring", "cover", "9"),
        ("ring", "prove", "7"),
    ]


def test_only_an_induction_counts_as_one(small: Path) -> None:
    PROOFS.leave(proof="ring", mode="prove", depth=7)
    PROOFS.leave(proof="ring", mode="cover", depth=9)
    PROOFS.leave(proof="sweep", mode="bmc", depth=5)
    PROOFS.collect()
    change(PROOFS, "ring", "another")
    every, inductive = (
        result_tables.rewritten(small / "page.md", f"<!-- table {kind} -->\n<!-- end of table -->")
        for kind in ("proofs", "proofs induction")
    )
    how = "by induction, to depth 7, what must be able to happen does, within 9 clocks"
    assert f"| `ring` † | the ring holds | {how} | `" in every
    assert "| `sweep` | the sweep holds | for every run of 5 clocks | `" in every
    assert "`ring` †" in inductive
    assert "sweep" not in inductive


def test_the_command_runs_what_is_due_and_says_what_is_left(
    sluice: Sluice, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        ran[:] = command[3:]
        CONFORMANCE.leave(config="red", **COUNTS)
        return SimpleNamespace(returncode=1)

    for config in catalog.load().config_names:
        CONFORMANCE.leave(config=config, **COUNTS)
    for proof in evidence.claims():
        PROOFS.leave(proof=proof, mode="prove", depth=5)
    status, out, _ = sluice("evidence")
    assert (status, out.splitlines()) == (
        0,
        ["conformance: 8 rows changed; none of 8 is due", "proofs: 2 rows changed; none of 2 is due"],
    )
    monkeypatch.setattr(subprocess, "run", run)
    assert sluice("evidence", "--run")[0] == 0
    assert ran == []
    for subject in ("red", "fred"):
        change(CONFORMANCE, subject, "another")
    change(PROOFS, "ring", "another")
    status, out, err = sluice("evidence", "--run")
    suite = "cocotb-tests/cores/test_conformance.py::test_traffic"
    tests = [f"{suite}[red]", f"{suite}[fred]", "cocotb-tests/blocks/test_proofs.py::test_proof"]
    assert ran == ["--arrivals", "100000", *tests]
    assert (status, err) == (2, "sluice: some tests failed, and have left nothing\n")
    assert "conformance: 1 rows changed; due: fred\n" in out
