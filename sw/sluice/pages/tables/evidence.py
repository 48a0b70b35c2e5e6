# SPDX-License-Identifier: Apache-2.0
"""Tables of what tests have found: over how much traffic cores were bit-exact, what is proved, and what experiments run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sluice import experiments
from sluice.hardware import catalog, datapaths
from sluice.pages.evidence import CONFORMANCE, PROOFS, Evidence, claims
from sluice.pages.tables.markdown import DAGGER, Lines, head, line

_COUNTS = ("clocks", "arrivals", "heads", "fates", "departures", "idle", "ticks", "sets", "resets", "victims")


class Compared:
    """The rows of conformance, and whether those that were asked for still hold."""

    def __init__(self) -> None:
        self._rows = {row["config"]: row for row in CONFORMANCE.rows()}
        self._is_any_old = False

    def summary(self, config: str) -> str:
        """Over what a core was bit-exact, in few words."""
        row = self._rows.get(config)
        if row is None:
            return "-"
        counts = [f"{int(row[what]):,} {what}" for what in ("arrivals", "heads", "ticks") if int(row[what])]
        return ", ".join(counts) + self._mark(row)

    def line(self, config: str) -> str:
        """All that was counted."""
        row = self._rows.get(config)
        if row is None:
            return line(f"`{config}`", *("-" for _ in (*_COUNTS, "verdicts", "RTL", "run")))
        counts = (f"{int(row[what]):,}" if int(row[what]) else "" for what in _COUNTS)
        return line(f"`{config}`{self._mark(row)}", *counts, _verdicts(row), f"`{row['rtl']}`", row["date"])

    def legend(self) -> Lines:
        return _legend(CONFORMANCE, "compared") if self._is_any_old else []

    def _mark(self, row: Mapping[str, str]) -> str:
        is_old = CONFORMANCE.is_old(row)
        self._is_any_old |= is_old
        return DAGGER if is_old else ""


def conformance(_arguments: Sequence[str]) -> Lines:
    """Every configuration of the catalogue, with all that its core was compared over."""
    found = Compared()
    rows = [found.line(config) for config in catalog.load().config_names]
    return [*head("core", *_COUNTS, "verdicts", "RTL", "run"), *rows, *found.legend()]


def proofs(arguments: Sequence[str]) -> Lines:
    """What is proved; with `induction` only what holds for any time."""
    rows = PROOFS.rows()
    is_any_old = False
    lines = head("", "what holds", "how", "RTL", "run")
    for claim in claims().values():
        found = {row["mode"]: row for row in rows if row["proof"] == claim.name}
        if "induction" in arguments and "prove" not in found:
            continue
        is_old = any(map(PROOFS.is_old, found.values()))
        is_any_old |= is_old
        how = ", ".join(_HOW[mode].format(found[mode]["depth"]) for mode in _HOW if mode in found) or "-"
        of_one = next(iter(found.values()), {"rtl": "-", "date": "-"})
        mark = DAGGER if is_old else ""
        lines.append(line(f"`{claim.name}`{mark}", claim.states, how, f"`{of_one['rtl']}`", of_one["date"]))
    return [*lines, *(_legend(PROOFS, "proved") if is_any_old else [])]


_HOW = {
    "prove": "by induction, to depth {}",
    "bmc": "for every run of {} clocks",
    "cover": "what must be able to happen does, within {} clocks",
}


def experiments_of_cores(_arguments: Sequence[str]) -> Lines:
    """Every experiment with the configurations that are columns of it."""
    lines = head("experiment", "what it is", "RTL in it", "beside")
    known = catalog.load().config_names
    for experiment, run in _experiments():
        ours, others = (", ".join(f"`{n}`" for n in run if (n in known) is is_ours) for is_ours in (True, False))
        lines.append(line(f"`{experiment.name}`", experiment.summary, ours, others))
    return lines


def experiments_by_algorithm() -> dict[str, list[str]]:
    """Names of the experiments in which a configuration of an algorithm is a column."""
    algorithms = {config.name: config.algorithm for config in catalog.load().configs}
    found: dict[str, list[str]] = {}
    for experiment, run in _experiments():
        for algorithm in dict.fromkeys(algorithms[name] for name in run if name in algorithms):
            found.setdefault(algorithm, []).append(experiment.name)
    return found


def _experiments() -> Iterator[tuple[experiments.Experiment, list[str]]]:
    """Each with what runs in it, once; of a datapath the configuration inside."""
    inside = {datapath.name: datapath.config for datapath in datapaths.load()}
    for experiment in experiments.registry().values():
        names = (cell.config for cell in experiment.cells())
        yield experiment, list(dict.fromkeys(inside.get(name, name) for name in names if name))


def _verdicts(row: Mapping[str, str]) -> str:
    counts = (verdict.rpartition(" ") for verdict in row["verdicts"].split("; "))
    return ", ".join(f"{name} {int(count):,}" for name, _, count in counts)


def _legend(kind: Evidence, was: str) -> Lines:
    return ["", f"† {was} on earlier RTL; `make evidence` runs {kind.name} anew."]
