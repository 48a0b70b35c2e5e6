# SPDX-License-Identifier: Apache-2.0
"""Measuring designs: one, or all whose results are out of date, here or on a cluster.

A result under fpga/results tells the digests of the RTL that it was measured on and of the wrapper that it was timed in.
It is out of date when one of them is another now, or when it was placed with fewer seeds than are asked for. Each row is
written as soon as it is known, and each seed of an unfinished one is kept in the work folder: an interrupted series goes
on where it stopped.
"""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import Any

from sluice import synthesis
from sluice.hardware import designs
from sluice.hardware.designs import Design
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import harness
from sluice.synthesis.timing import common_paths, levels, timing_paths
from sluice.synthesis.timing.level_cells import LevelRule
from sluice.synthesis.timing.scala_lines import ScalaLines

Result = dict[str, Any]

_ESTIMATED = ("levels", "luts", "carries", "mhz")
_LONGEST = 20
"""Paths by levels that are looked at of any design, so that others know which they have in common with it: they cost nothing."""


def measure(
    design: Design,
    target: str,
    seeds: int,
    is_plain: bool = False,
    done: Callable[[], None] = lambda: None,
    paths: int = 0,
) -> Result:
    """Area of a design, and its clock rate with seeds 1..N where the family has place and route; `done` follows each run.

    Where it has none, the rate is estimated from the longest path's levels of logic. So many `paths` are the slowest ones with
    the seed of the median rate, or the longest ones by levels.
    """
    family = synthesis.TARGETS[target]
    work = synthesis.work_folder(design.name, target)
    runs = seeds if family.placement else 0
    if runs and family.placement and design.placer not in family.placement.placers:
        raise UserError(
            f"{design.name} is placed by {design.placer}, which {target} has not; --seeds 0 counts its area"
        )
    area = synthesis.area(family, design.verilog, design.module, work)
    done()
    passes = () if is_plain or not family.placement else family.placement.passes
    placed = (
        synthesis.placements(family, design.module, work, design.placer, passes, runs, done, has_delays=paths > 0)
        if runs
        else []
    )
    rates = [run.mhz for run in placed]
    estimated = _by_levels(design, family.levels, work, max(paths, _LONGEST)) if family.levels else []
    slowest = _paths(design, placed, paths) if paths and placed else estimated
    if slowest:
        common_paths.keep(design, target, slowest)
    return {
        "config": design.name,
        "rtl": design.rtl,
        "parameters": design.settings,
        "target": target,
        "plain": is_plain,
        "placer": design.placer,
        **area,
        "fmax_mhz": {
            "median": synthesis.median_or_none(rates),
            "runs": [round(rate, 2) for rate in rates],
        },
        "latency_cycles": design.latency_cycles,
        "tool_versions": synthesis.tool_versions(family),
        **({"estimate": {key: estimated[0][key] for key in _ESTIMATED}} if estimated else {}),
        **({"paths": slowest[:paths]} if paths else {}),
    }


def _by_levels(design: Design, rule: LevelRule, work: Path, count: int) -> list[dict[str, Any]]:
    """The longest paths of a mapped design, cell by cell."""
    netlist = json.loads((work / "netlist.json").read_text())
    scala = ScalaLines(design.verilog.read_text(), design.module)
    return [
        {
            "levels": path.levels,
            "luts": path.luts,
            "carries": path.carries,
            "mhz": round(rule.mhz(path.levels), 1),
            "steps": [
                {"cell": cell, "signal": signal, "scala": str(scala.place(signal) or "") if signal else ""}
                for cell, signal in path.steps
            ],
        }
        for path in levels.longest(netlist["modules"][design.module], rule, count)
    ]


def _paths(design: Design, placed: Sequence[synthesis.Placed], count: int) -> list[dict[str, Any]]:
    """The slowest paths of the run with the median rate, step by step; consecutive cells of one signal are one step."""
    middle = sorted(placed, key=lambda run: run.mhz)[len(placed) // 2]
    scala = ScalaLines(design.verilog.read_text(), design.module)
    found = []
    for path in timing_paths.slowest(middle.delays.read_text(), count):
        steps = []
        for signal, group in itertools.groupby(path.steps, key=lambda step: step.signal):
            cells = list(group)
            steps.append(
                {
                    "signal": signal,
                    "at_ns": round(cells[-1].at_ps / 1000, 3),
                    "logic_ns": round(sum(cell.logic_ps for cell in cells) / 1000, 3),
                    "wire_ns": round(sum(cell.wire_ps for cell in cells) / 1000, 3),
                    "scala": str(scala.place(signal) or ""),
                }
            )
        found.append(
            {
                "ns": round(path.ns, 3),
                "mhz": round(path.mhz, 2),
                "levels": path.levels,
                "wire_percent": round(path.wire_percent),
                "steps": steps,
            }
        )
    return found


def row(result: Result) -> dict[str, Any]:
    """A result as a row of its target's table. Seeds and the rate with each of them stand in one cell, by blanks."""
    rates = result["fmax_mhz"]["runs"]
    return {
        **{key: result[key] for key in ("config", "rtl", "lut", "carry", "ff", "bram", "dsp")},
        "fmax_mhz_median": result["fmax_mhz"]["median"] or "",
        "fmax_mhz": " ".join(map(str, rates)),
        "seeds": " ".join(str(seed + 1) for seed in range(len(rates))),
        "wrapper": harness.digest() if rates else "",
        "latency_cycles": result["latency_cycles"],
        **result["tool_versions"],
        **{f"estimate_{key}": value for key, value in result.get("estimate", {}).items()},
    }


def is_old(entry: Mapping[str, str], design: Design) -> bool:
    """Whether a row is of other RTL than is generated now, or was timed in another wrapper than there is now."""
    return entry["rtl"] != design.rtl or bool(entry["seeds"] and entry["wrapper"] != harness.digest())


def due(target: str, seeds: int) -> list[Design]:
    """Designs whose row is missing or out of date, but for those that the family's nextpnr has no placer for."""
    placement = synthesis.TARGETS[target].placement
    wanted = seeds if placement else 0
    estimate = "estimate_levels" if synthesis.TARGETS[target].levels else "rtl"
    kept = {entry["config"]: entry for entry in results_table.read(synthesis.table(target))}
    return [
        design
        for design in designs.load().values()
        if not (wanted and placement) or design.placer in placement.placers
        if (old := kept.get(design.name)) is None
        or is_old(old, design)
        or len(old["seeds"].split()) < wanted
        or not old.get(estimate)
    ]


def measure_all(
    chosen: Sequence[Design], target: str, seeds: int, pool: Executor, measured: Callable[[Result], None]
) -> None:
    """Measure each design on the pool and put its row into the table; `measured` follows each. One that fails keeps no other
    from its row, and is told of at the end."""
    failed: UserError | None = None
    started = [pool.submit(_measure_there, design.name, design.rtl, target, seeds) for design in chosen]
    for future in as_completed(started):
        try:
            result = future.result()
        except UserError as error:
            failed = failed or error
            continue
        results_table.merge_row(synthesis.table(target), row(result))
        measured(result)
    if failed:
        raise failed


def _measure_there(name: str, rtl: str, target: str, seeds: int) -> Result:
    design = designs.find(name)
    if design.rtl != rtl:
        raise UserError(f"worker {socket.gethostname()} has other RTL of {name}")
    return measure(design, target, seeds)
