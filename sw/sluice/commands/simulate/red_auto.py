# SPDX-License-Identifier: Apache-2.0
"""`sluice red-auto`: RED's parameters from a link's rate and a target delay."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import red_auto
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, provenance, write_json
from sluice.support.units import RATE_BPS, TIME_S

FAR = 1.5
"""A weight that is off by more than this factor deserves a word."""


@click.command(name="red-auto")
@click.option("--rate", "rate_bps", type=RATE_BPS, required=True, help="Rate of the link, as 10Mbps or 2.5Gbit.")
@click.option(
    "--packet",
    "packet_bytes",
    type=click.IntRange(1, 65535),
    default=1000,
    show_default=True,
    help="Mean packet, bytes.",
)
@click.option("--delay", "target_s", type=TIME_S, default="5ms", show_default=True, help="Target queueing delay.")
@click.option(
    "--weight",
    "rule",
    type=click.Choice(list(red_auto.WEIGHTS)),
    default="report",
    show_default=True,
    help="Rule for the averaging weight: ARED's report, or ns-2's q_weight_ -1 or -2.",
)
@click.option(
    "--link-delay", "link_delay_s", type=TIME_S, default="0.02s", show_default=True, help="One-way delay, for ns2-rtt."
)
@click.option("--config", default="red", show_default=True, help="Configuration whose registers are shown.")
@json_option
def command(
    rate_bps: float,
    packet_bytes: int,
    target_s: float,
    rule: str,
    link_delay_s: float,
    config: str,
    json_file: Path | None,
) -> None:
    """Compute RED's thresholds and weight as ARED's report does, and the words that its registers take.

    With C packets per second: min = max(5, delay C / 2), max = 3 min, weight = 1 - exp(-1 / C). The hardware
    averages with a power of two, or 1.5 times that in configurations that have halves; the nearest is taken.

    \b
      sluice red-auto --rate 10Mbps
      sluice red-auto --rate 10Gbit --packet 1500 --delay 1ms --config red-half-weights
    """
    catalog.load().config(config)
    registers = RegisterMap.load(paths.made(paths.register_map(config)))
    if red_auto.EXPONENT not in registers.parameters:
        raise UserError(f"{config} has no averaging weight; choose a configuration of RED or of its family")
    rate_pps = rate_bps / 8 / packet_bytes
    thresholds = red_auto.thresholds(rate_pps, target_s)
    wanted = red_auto.WEIGHTS[rule](rate_pps, link_delay_s)
    found = red_auto.nearest_weight(wanted, red_auto.HALF in registers.parameters)
    values: dict[str, float] = {
        "min": thresholds.min,
        "max": thresholds.max,
        **found,
        **registers.following({"packet_bytes": packet_bytes, "rate_pps": rate_pps}),
    }
    words = {name: registers.parameter(name).raw(value) for name, value in values.items()}
    has = red_auto.realised(found)
    table = Table("register", "address", "value", "unit", "word", box=SIMPLE_HEAD)
    table.title = f"{config}: {rate_pps:g} packets/s, target {1000 * target_s:g} ms"
    for name, value in values.items():
        field = registers.parameter(name)
        table.add_row(name, f"0x{field.address:03X}", f"{value:.6g}", field.unit, f"0x{words[name]:08X}")
    console.print(table)
    console.print(f"weight: wanted {wanted:.3g}, the hardware has {has:.3g}", highlight=False)
    if not 1 / FAR < has / wanted < FAR:
        console.print(f"the average will be {has / wanted:.3g} times as fast as the rule asks: the exponents end")
    console.print(
        "sluice run: " + " ".join(f"--set {name}={value:.6g}" for name, value in values.items()), soft_wrap=True
    )
    if json_file:
        result = {
            "config": config,
            "rate_pps": rate_pps,
            "target_delay_s": target_s,
            "weight_rule": rule,
            "weight_wanted": wanted,
            "weight": has,
            "parameters": values,
            "words": words,
        }
        write_json(json_file, provenance() | result)
