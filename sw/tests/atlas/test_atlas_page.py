# SPDX-License-Identifier: Apache-2.0
"""What the page makes of kept rows: the tables, the picture, and claims that hold or do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice.commands import cli
from sluice.experiments import kept_results
from sluice.experiments.atlas import agreement, claims, measures, picture, schemes, table
from sluice.experiments.atlas.cells import find
from sluice.loop.reports import kept_rows
from sluice.pages import result_tables

Put = Callable[..., None]


def row(cell: str, scheme: str, seed: int = 1, **values: float) -> dict[str, Any]:
    """A fresh row with these measures and no others."""
    [column] = schemes.find([scheme])
    here = column.cell(find(cell))
    digests = {"rtl": kept_rows.rtl(here.config), "setting": kept_results.setting(here, 20)}
    shown = {measure.name: values.get(measure.name, "") for measure in measures.MEASURES}
    named = {"cell": cell, "scheme": scheme, "config": here.config, "duration_s": "20", "seed": seed}
    return named | digests | shown | {"wall_s": 1}


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts rows into a table of the test's own."""
    monkeypatch.setattr(table, "kept", lambda: tmp_path / "kept.csv")
    return lambda *rows: table.put(table.kept(), rows)


def page(text: str) -> list[str]:
    shown = result_tables.rewritten(Path("page.md"), f"<!-- table {text} -->\n<!-- end of table -->\n")
    return [line for line in shown.splitlines() if line.startswith("|")]


def test_schemes_stand_by_cells_with_cost_beside(put: Put) -> None:
    shares = {"red": 6.5, "care": 4.0, "sfb": 4.25, "fair-queue": 1.0, "pie": float("inf")}
    put(
        *(
            row("udp-mix", name, deaf_shares=value, goodput_mbps=5 if name == "sfb" else 19)
            for name, value in shares.items()
        )
    )
    lines = page("atlas udp-mix mild")
    assert lines[0] == "| scheme | LUT4 | MHz | `udp-mix`<br>deaf_shares | `mild`<br>delay_p99_ms |"
    names = [line.split("`")[1] for line in lines[2:]]
    assert names == ["red", "care", "sfb", "pie", "fair-queue"], "in the order of the catalogue"
    ends = [line.split("|")[4].strip() for line in lines[2:]]
    assert ends == ["6.5", "**4**", f"**4.2{picture.IDLE}**", "never", "**1**"]
    assert re.match(r"\| `red` \| \d,\d{3} \| \d{3} \| ", lines[2])
    assert lines[-1].startswith("| `fair-queue` | | | ")


def test_rows_of_another_simulation_bear_a_dagger(put: Put) -> None:
    put(row("udp-mix", "ns3-fifo", deaf_shares=6.0, goodput_mbps=1) | {"setting": "another"})
    put(row("udp-mix", "ns3-pie", deaf_shares=6.5, goodput_mbps=1))
    assert [line.endswith("† |") for line in page("atlas udp-mix")[2:]] == [True, False]


def test_rows_of_one_length_are_held_against_each_other(put: Put) -> None:
    put(*(row("mild", name, delay_p99_ms=20) for name in ("red", "pie")), row("mild", "care") | {"duration_s": "60"})
    assert {found["scheme"] for found in table.shown()["mild"]} == {"red", "pie"}
    put(row("mild", "red") | {"duration_s": "60"})
    assert {found["duration_s"] for found in table.shown()["mild"]} == {"60"}, "the longer in doubt"


def test_the_table_of_cells_says_how_much_was_run(put: Put) -> None:
    put(row("mild", "red", 1), row("mild", "red", 2), row("mild", "pie"))
    lines = page("atlas_cells")
    assert lines[2].endswith("| delay_p99_ms | 20 | 2 | 1 to 2 |")
    assert lines[3].endswith("| - | 0 | 0 |")


def test_the_picture_has_every_number(put: Put) -> None:
    put(
        row("mild", "red", delay_p99_ms=20.8, goodput_mbps=19),
        row("load-steps", "red", recovery_s=float("inf"), goodput_mbps=1),
    )
    put(row("load-steps", "pie", recovery_s=0.63, goodput_mbps=19))
    drawn = picture.heat(table.shown())
    for text in (">20.8<", f">never{picture.IDLE}<", ">0.63<", ">red<", ">pie<", ">mild<"):
        assert text in drawn
    assert ">care<" not in drawn


def holds(number: int) -> dict[str, bool]:
    return {finding.of: finding.holds for finding in claims.CLAIMS[number].findings(table.shown())}


def test_claims_hold_or_do_not_as_the_rows_say(put: Put) -> None:
    put(row("near", "codel", delay_mean_ms=6), row("mild", "codel", delay_mean_ms=7))
    put(row("near", "pie", delay_mean_ms=12), row("mild", "pie", delay_mean_ms=23))
    assert holds(0) == {"codel": True, "pie": False}
    for name, few, many in (("red", 10, 20), ("ns3-red", 10, 11), ("ared", 10, 12), ("cared", 10, 30)):
        put(row("mild", name, delay_mean_ms=few), row("heavy", name, delay_mean_ms=many))
    assert holds(1) == {"red": True, "ns3-red": False, "ared": True, "cared": False}
    put(
        *(
            row("udp-mix", name, deaf_shares=value)
            for name, value in {"care": 1.2, "choke": 6, "pie": 6, "pi": 1.5}.items()
        )
    )
    assert holds(2) == {"care": True, "choke": False, "pie": True, "pi": False}
    put(row("mix", "fair-queue", call_p99_ms=1.7), row("mix", "ns3-fq-codel", call_p99_ms=4.4))
    assert holds(3) == {"fair-queue": True, "ns3-fq-codel": False}
    for name, ecn, marked in (("red", 0.1, 1), ("sfb", 0.4, 1), ("droptail", 0.1, 0)):
        put(row("ecn-part", name, ecn_loss_percent=ecn, plain_loss_percent=0.5, mark_percent=marked))
    assert holds(4) == {"red": True, "sfb": False}


def test_ours_beside_ns3s_own(put: Put) -> None:
    """Intervals that touch agree, values within a hundredth do, and who is apart is named."""
    for seed, ours, theirs, drops in ((1, 20, 23, 0.5), (2, 24, 27, 0.6)):
        put(row("mild", "red", seed, delay_mean_ms=ours, link_percent=99.0, loss_percent=drops))
        put(row("mild", "ns3-red", seed, delay_mean_ms=theirs, link_percent=99.5, loss_percent=drops + 3))
    [found] = agreement.with_ns3(table.shown())
    assert (found.of, found.holds) == ("red", False)
    assert found.numbers == "2 of 3 agree; mild loss_percent 0.55 ±0.64 / 3.55 ±0.64"


def test_short_runs_beside_long_ones(put: Put) -> None:
    for seconds, values in (("20", (10, 20, 30)), ("60", (15, 40, 35))):
        for name, value in zip(("red", "pie", "care"), values, strict=True):
            put(row("mild", name, delay_p99_ms=value) | {"duration_s": seconds})
    [found] = agreement.of_lengths(table.by_cell())
    assert (found.of, found.numbers, found.holds) == ("mild", "1 of 3 pairs in another order; pie, care", False)


def test_the_command_prints_them(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put(row("mix", "fair-queue", call_p99_ms=1.7))
    with pytest.raises(SystemExit):
        cli.main(["atlas", "--check"])
    assert "within 1.70 ms" in capsys.readouterr().out
