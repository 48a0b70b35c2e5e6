# SPDX-License-Identifier: Apache-2.0
"""`sluice replay`: a capture through the full RTL datapath."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import rich_click as click
from rich.table import Table

from sluice.hardware import datapaths
from sluice.loop import aqm
from sluice.packets import capture, frame_table, queue_table, replay, replay_plot
from sluice.packets.datapath import ACTIONS, NO_WRITES, OUTCOMES, Outcome
from sluice.support.errors import UserError
from sluice.support.output import console, file_option, json_option, progress, provenance, write_json, write_text
from sluice.support.units import RATE_BPS


@click.command(name="replay")
@click.argument("pcap", type=click.Path(path_type=Path))
@click.option("--config", "name", default="red", show_default=True, help="Datapath, or configuration of its tile.")
@click.option(
    "--rate",
    "rate_bps",
    type=RATE_BPS,
    help="Rate of the outgoing link, such as 10M or 2.5Gbit; without it, as fast as it goes.",
)
@click.option("--back-to-back", is_flag=True, help="Ignore the capture's times: each frame right after the one before.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter; may be given several times.")
@click.option(
    "--settings",
    "like",
    type=click.Path(path_type=Path),
    help="Parameters as in the JSON of a replay or of a live run, in place of --rate.",
)
@click.option(
    "--writes",
    "written",
    type=click.Path(path_type=Path),
    help="Words that are written into registers meanwhile, as a live run records them; those of time 0 before the first frame.",
)
@file_option("--out", "out", "Write the frames that leave, with nanosecond times.")
@file_option("--frames", "table_file", "Write what the RTL saw of each frame.")
@file_option("--plot", "plot_file", "Draw each frame's delay, as SVG.")
@json_option
def command(
    pcap: Path,
    name: str,
    rate_bps: float | None,
    back_to_back: bool,
    settings: tuple[str, ...],
    like: Path | None,
    written: Path | None,
    out: Path | None,
    table_file: Path | None,
    plot_file: Path | None,
    json_file: Path | None,
) -> None:
    """Send the frames of PCAP through a verilated datapath and say what became of them.

    Parser, flow hash, AQM, buffer, marker and shaper are the RTL; the host only brings frames and prints.

    \b
      sluice replay trace.pcap
      sluice replay trace.pcap --rate 10M --set ecn=1 --out queued.pcap
      sluice replay trace.pcap --config red-64 --back-to-back --frames frames.tsv --json summary.json
    """
    chosen = datapaths.find(name)
    frames = capture.read(pcap)
    times = np.zeros_like(frames.time_ns) if back_to_back else frames.time_ns
    wanted = _parameters(like) | aqm.numbers(aqm.parse_settings(settings))
    writes = replay.recorded_writes(written) if written else NO_WRITES
    with progress() as bar:
        task = bar.add_task(pcap.name, total=len(frames))

        def show(count: int) -> None:
            bar.update(task, completed=count)

        done = replay.through(chosen, frames, times, rate_bps, wanted, show, writes)
    outcome = done.outcome
    reasons = _reason_names(chosen)
    summary = {
        **provenance(),
        "config": chosen.name,
        "parameters": done.parameters,
        "capture": pcap.name,
        "skipped": frames.skipped,
        "damage": frames.damage or None,
        **_summary(frames, outcome, reasons),
        "clocks": outcome.clocks,
        "seconds": round(done.seconds, 3),
        "counters": done.counters,
        **({"queues": [asdict(queue) for queue in done.queues]} if done.queues else {}),
    }
    if out:
        _write_output(out, frames, outcome)
    if table_file:
        rows = frame_table.rows(frames, outcome, reasons, has_queues=chosen.has_queues)
        write_text(table_file, frame_table.text(rows))
    if plot_file:
        write_text(plot_file, replay_plot.delay(f"{pcap.stem} through {chosen.name}", outcome) + "\n")
    if json_file:
        write_json(json_file, summary)
    _print(summary)
    if done.queues:
        console.print(queue_table.table(done.queues))
    if frames.damage:
        raise UserError(f"{pcap}: replayed up to where it is damaged: {frames.damage}")


def _parameters(like: Path | None) -> dict[str, float]:
    """Those of a result of before; none without one."""
    if like is None:
        return {}
    try:
        found: dict[str, float] = json.loads(like.read_text())["parameters"]
    except OSError as error:
        raise UserError(f"cannot read {like}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{like} has no parameters; it is no result of a replay or a live run") from None
    return found


def _summary(frames: capture.Capture, outcome: Outcome, reasons: dict[int, str]) -> dict[str, Any]:
    seen = outcome.seen
    judged = seen[seen["action"] != ACTIONS.index("oversize")]
    dropped = Counter(reasons[int(code)] for code in judged["reason"][judged["action"] == ACTIONS.index("drop")])
    if len(judged) < len(seen):
        dropped["Oversize drop"] = len(seen) - len(judged)
    kept = seen["action"] < ACTIONS.index("drop")
    delay_us = (outcome.departure_ns[kept] - outcome.entry_ns[kept]) / 1000
    parse = np.bincount(judged["outcome"], minlength=len(OUTCOMES))
    return {
        "frames_in": len(frames),
        "frames_out": len(frames) - sum(dropped.values()),
        "dropped": dict(dropped),
        "marked": int(np.count_nonzero(judged["action"] == ACTIONS.index("mark"))),
        "flows": len(np.unique(judged["flow"])),
        "delay_us": {
            "mean": round(float(delay_us.mean()), 3) if len(delay_us) else None,
            "p99": round(float(np.percentile(delay_us, 99)), 3) if len(delay_us) else None,
        },
        "parse": {name: int(count) for name, count in zip(OUTCOMES, parse, strict=True) if count},
    }


def _reason_names(chosen: datapaths.DatapathConfig) -> dict[int, str]:
    return {entry["code"]: entry["name"] for entry in chosen.reasons}


def _write_output(path: Path, frames: capture.Capture, outcome: Outcome) -> None:
    kept = np.flatnonzero(outcome.seen["action"] < ACTIONS.index("drop"))
    kept = kept[np.argsort(outcome.departure_ns[kept], kind="stable")]  # of many queues in any order
    data = outcome.output.tobytes()
    start, length = frames.offset.tolist(), frames.length.tolist()
    times = outcome.departure_ns[kept].tolist()
    capture.write(path, times, [data[start[i] : start[i] + length[i]] for i in kept.tolist()])


def _print(summary: dict[str, Any]) -> None:
    table = Table("", "frames", title=f"{summary['capture']} through {summary['config']}")
    table.add_row("in", str(summary["frames_in"]))
    for reason, count in summary["dropped"].items():
        table.add_row(f"dropped: {reason}", str(count))
    table.add_row("marked", str(summary["marked"]))
    table.add_row("out", str(summary["frames_out"]))
    table.add_row("flows", str(summary["flows"]))
    for name, value in summary["delay_us"].items():
        table.add_row(f"delay in us, {name}", "none left" if value is None else f"{value:.3f}")
    table.add_row("clocks per frame", f"{summary['clocks'] / summary['frames_in']:.1f}")
    table.add_row("frames a second", f"{summary['frames_in'] / max(summary['seconds'], 0.001):,.0f}")
    for outcome, count in summary["parse"].items():
        table.add_row(f"parsed: {outcome.replace('_', ' ')}", str(count))
    if summary["skipped"]:
        table.add_row("not Ethernet, skipped", str(summary["skipped"]))
    console.print(table)
