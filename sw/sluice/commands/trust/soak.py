# SPDX-License-Identifier: Apache-2.0
"""`sluice soak`: very many arrivals through a bare tile, and whether all that always holds does hold."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from click.exceptions import Exit

from sluice.faults import soak
from sluice.support.output import console, json_option, progress, provenance, write_json


@click.command(name="soak")
@click.argument("config")
@click.option(
    "--arrivals",
    type=click.IntRange(min=1000),
    default=10_000_000,
    show_default=True,
    help="Packets that are offered.",
)
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True, help="Which traffic is drawn.")
@json_option
def command(config: str, arrivals: int, seed: int, json_file: Path | None) -> None:
    """Offer very many packets to the Verilated tile of CONFIG, clock by clock, and check all the time what holds for every tile.

    Traffic, link and time are drawn anew every some thousand clocks: bursts of up to 2,048 packets without a gap, pauses, a link
    that is faster or slower or stands still, time that stands, jumps ahead or slips back; limits and ECN with each reset, which
    comes in the midst of traffic after some million arrivals.

    \b
      each clock   a verdict for each arrival after the fixed latency, with a reason that fits; marks for ECN-capable packets
                   alone; what leaves is the oldest packet that was accepted, with its bytes and its mark; no more queued than the
                   limit; no packet refused with room for it
      in traffic   received = dropped + queued + departed in a SNAPSHOT, in packets and in bytes; averages and probabilities in
                   bounds
      when quiet   every counter, and what is queued, is what the bench has counted; nothing was mended (FAULTS is 0)

    Counters begin right below 2^32 or 2^48 after each reset, so that they wrap. The first thing that does not hold ends the soak
    with exit status 1; the same CONFIG and --seed lead there again. Tiles with several queues are not run.

    The row of CONFIG and the seed in cocotb-tests/results/soak.csv is replaced, unless it is of the same RTL and of more
    arrivals. `make docs` then brings the table of docs/trust/soak.md up to date.

    \b
      sluice soak red
      sluice soak codel --arrivals 100000000 --seed 2 --json codel.json
    """
    with progress() as bar:
        task = bar.add_task(config, total=arrivals)
        outcome = soak.run(config, arrivals, seed, lambda done: bar.update(task, completed=done))
    is_kept = soak.keep(config, seed, outcome)
    counts = {name: int(value) for name, value in outcome.counts.items() if name != "seconds"}
    console.print(
        f"{config}, seed {seed}: {counts['arrivals']:,} arrivals in {outcome.counts['seconds']:,.1f} s of processor time,"
        f" {outcome.rate:,.0f} a second; {counts['accepted']:,} accepted, {counts['resets']:,} resets,"
        f" {counts['quiet']:,} checks in quiet moments and {counts['live']:,} in traffic,"
        f" counters past 2^32 {counts['wraps_32']:,} times and past 2^48 {counts['wraps_48']:,} times"
        + ("" if is_kept else "; the row that is kept is of more arrivals"),
        soft_wrap=True,
    )
    if json_file:
        write_json(
            json_file, {**provenance(), "config": config, "seed": seed, **counts, "broken": outcome.broken or None}
        )
    if outcome.broken:
        console.print(
            f"broken at arrival {counts['arrivals']:,}, clock {counts['clock']:,}: {outcome.broken}", soft_wrap=True
        )
        raise Exit(1)
