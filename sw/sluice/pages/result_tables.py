# SPDX-License-Identifier: Apache-2.0
"""Tables of README and pages, written anew where they stand.

A page marks the place of a table by two comments, `<!-- table cores -->`, `<!-- table boards -->` or
`<!-- table cost ecp5 red red-64 -->` and `<!-- end of table -->`. What was measured or found on other RTL than is generated
now bears a dagger, so nobody has to remember which rows are old. Tables of measured results are here, the others in
`sluice.pages.tables`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sluice import synthesis
from sluice.hardware import boards, catalog, designs
from sluice.pages.tables import (
    atlas,
    closed_loop,
    evidence,
    linux,
    mutants,
    packages,
    parameters,
    sensitivity,
    soak,
    upsets,
)
from sluice.pages.tables.markdown import DAGGER, Lines, head, line, title
from sluice.support import paths, results_table
from sluice.support.errors import UserError
from sluice.synthesis import measurement, sizes

BEGIN = "<!-- table "

_PLACE = re.compile(rf"({BEGIN}(\w+)((?: [\w-]+)*) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def rewritten(page: Path, text: str) -> str:
    """The page with its tables as they are today."""

    def table(place: re.Match[str]) -> str:
        begin, kind, arguments, end = place.groups()
        if kind not in _KINDS:
            raise UserError(f"{page}: there is no table '{kind}'; there are: {', '.join(_KINDS)}")
        return "\n".join([begin, *_KINDS[kind](arguments.split()), "", end])

    return _PLACE.sub(table, text)


def _cores(_arguments: Sequence[str]) -> Lines:
    """Every algorithm in its default configuration: what it was compared over, where it runs, and its cost on ECP5."""
    lines = head("core", "bit-exact over", "experiments", "LUT4", "BRAM", "DSP", "MHz", "seeds", "latency, cycles")
    found, compared, run = _Rows.of("ecp5"), evidence.Compared(), evidence.experiments_by_algorithm()
    for algorithm in catalog.load().algorithms:
        page = f"docs/algorithms/{algorithm.name}.md"
        name = algorithm.default_config
        lines.append(
            line(
                f"[{title(paths.root() / page)}]({page}){found.mark(name)}",
                compared.summary(name),
                len(run.get(algorithm.name, [])),
                *(found.cell(name, key) for key in ("lut", "bram", "dsp", "fmax_mhz_median")),
                found.seeds(name),
                algorithm.latency_cycles,
            )
        )
    return [*lines, *found.legend(), *compared.legend()]


def _cost(arguments: Sequence[str]) -> Lines:
    """Some designs on one family, with what each seed gave, or with what its longest path by levels lets expect."""
    target, *names = arguments
    found = _Rows.of(target)
    family = synthesis.TARGETS[target]
    area = {"lut": family.lut, "carry": "carry", "ff": "FF", "bram": "BRAM", "dsp": "DSP"}
    clock = {}
    if family.levels:
        clock = {"estimate_luts": "LUTs of the longest path", "estimate_carries": "its carries"}
        clock |= {"estimate_levels": "levels", "estimate_mhz": "MHz, estimate"}
    rate = ["MHz, median", "each seed"] if family.placement else list(clock.values())
    lines = head("", *area.values(), *rate, "latency, cycles")
    for name in names:
        design = designs.find(name)
        cells = [found.cell(name, key) for key in area]
        if family.placement:
            cells += [found.cell(name, "fmax_mhz_median"), found.rates(name)]
        cells += [found.cell(name, key) for key in clock]
        lines.append(line(f"`{name}`{found.mark(name)}", *cells, design.latency_cycles))
    return [*lines, *found.legend()]


def _boards(_arguments: Sequence[str]) -> Lines:
    """Every design for a board, with the clock that has the least to spare."""
    found = _Rows(
        "boards",
        lambda row: row["rtl"] != boards.named(row["config"]).rtl,
        "† of earlier RTL; `sluice bitstream` with three seeds measures anew.",
    )
    area = {"lut": "LUT4", "carry": "carry", "ff": "FF", "bram": "BRAM", "dsp": "DSP"}
    lines = head("", *area.values(), "MHz asked", "MHz, median", "each seed")
    for board in boards.load():
        cells = [found.cell(board.name, key) for key in (*area, "asked_mhz", "fmax_mhz_median")]
        lines.append(line(f"`{board.name}`{found.mark(board.name)}", *cells, found.rates(board.name)))
    return [*lines, *found.legend()]


def _sizes(arguments: Sequence[str]) -> Lines:
    """Designs of one family with other numbers of queues and packets."""
    target, *names = arguments
    known = designs.load()
    family = synthesis.TARGETS[target]
    lines = head("", "queues", "packets", family.lut, "carry", "FF", "BRAM", "DSP")
    asked = [row for row in results_table.read(sizes.table()) if row["target"] == target and row["config"] in names]
    asked.sort(key=lambda row: (names.index(row["config"]), int(row["queues"]), int(row["entries"])))
    is_any_old = False
    for row in asked:
        is_old = row["rtl"] != known[row["config"]].rtl
        is_any_old |= is_old
        cells = [_number(key, row[key]) for key in ("queues", "entries", *family.cells)]
        lines.append(line(f"`{row['config']}`{DAGGER if is_old else ''}", *cells))
    return [*lines, *(["", "† of earlier RTL; `sluice sizes` counts anew."] if is_any_old else [])]


_KINDS: dict[str, Callable[[Sequence[str]], Lines]] = {
    "cores": _cores,
    "cost": _cost,
    "sizes": _sizes,
    "boards": _boards,
    "conformance": evidence.conformance,
    "proofs": evidence.proofs,
    "experiments": evidence.experiments_of_cores,
    "parameters": parameters.parameters,
    "compared": closed_loop.compared,
    "reproduced": closed_loop.reproduced,
    "atlas": atlas.atlas,
    "atlas_cells": atlas.atlas_cells,
    "sensitivity": sensitivity.sensitivity,
    "packages": packages.packages,
    "mutants": mutants.rates,
    "survivors": mutants.living,
    "upsets": upsets.upsets,
    "soak": soak.soaked,
    "linux": linux.beside,
}


class _Rows:
    """The results of a family or of the boards, and whether those that were asked for still hold."""

    def __init__(self, table: str, is_old: Callable[[Mapping[str, str]], bool], legend: str) -> None:
        self._legend = legend
        self._rows = {row["config"]: row for row in results_table.read(synthesis.table(table))}
        self._is_old = is_old
        self._is_any_old = False

    @staticmethod
    def of(target: str) -> _Rows:
        known = designs.load()
        return _Rows(
            target,
            lambda row: measurement.is_old(row, known[row["config"]]),
            "† of earlier RTL, or timed in an earlier wrapper; `sluice synth --all` measures anew.",
        )

    def mark(self, name: str) -> str:
        is_old = name in self._rows and self._is_old(self._rows[name])
        self._is_any_old |= is_old
        return DAGGER if is_old else ""

    def cell(self, name: str, key: str) -> str:
        text = self._rows.get(name, {}).get(key, "")
        return " ".join(_number(key, part) for part in text.split()) or "-"

    def rates(self, name: str) -> str:
        """What each seed gave, or how many there were where only the median is known."""
        seeds = self.seeds(name)
        return self.cell(name, "fmax_mhz").replace("-", f"of {seeds} seeds" if seeds != "-" else "-")

    def seeds(self, name: str) -> str:
        return str(len(self._rows.get(name, {}).get("seeds", "").split()) or "-")

    def legend(self) -> Lines:
        return ["", self._legend] if self._is_any_old else []


def _number(key: str, text: str) -> str:
    return f"{float(text):.1f}" if "mhz" in key else f"{float(text):,g}"
