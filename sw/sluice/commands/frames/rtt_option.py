# SPDX-License-Identifier: Apache-2.0
"""`sluice rtt-option`: writes round-trip times into a capture."""

from __future__ import annotations

import csv
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

import rich_click as click

from sluice.packets import capture, rtt_option
from sluice.support.errors import UserError
from sluice.support.output import console
from sluice.support.units import TIME_S

_Network = IPv4Network | IPv6Network


@click.command(name="rtt-option")
@click.argument("pcap", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--rtt", "rtt_s", type=TIME_S, help="Round-trip time of all packets, or of those that no pair has.")
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    help="CSV without a header: source prefix, destination prefix, time; the first line that fits counts.",
)
def command(pcap: Path, out: Path, rtt_s: float | None, pairs: Path | None) -> None:
    """Write the frames of PCAP to OUT with their round-trip time in an IP option, as docs/rtt-option.md has it.

    \b
      sluice rtt-option trace.pcap out.pcap --rtt 80ms
      sluice rtt-option trace.pcap out.pcap --pairs times.csv
    """
    if rtt_s is None and pairs is None:
        raise click.UsageError("give --rtt, --pairs or both")
    times = _read(pairs) if pairs else []
    others = None if rtt_s is None else _microseconds(rtt_s)
    frames = capture.read(pcap)
    data = frames.data.tobytes()
    written, unwanted, no_room = [], 0, 0
    for start, length in zip(frames.offset.tolist(), frames.length.tolist(), strict=True):
        frame = data[start : start + length]
        us = _time_of(frame, times, others)
        changed = None if us is None else rtt_option.insert(frame, *us)
        unwanted += us is None
        no_room += us is not None and changed is None
        written.append(changed or frame)
    capture.write(out, frames.time_ns.tolist(), written)
    console.print(f"{len(written) - unwanted - no_room} of {len(written)} frames have their round-trip time")
    if unwanted:
        console.print(f"{unwanted} are not IP, are cut, or have no time")
    if no_room:
        console.print(f"{no_room} have no room for it")
    if frames.damage:
        raise UserError(f"{pcap}: read up to where it is damaged: {frames.damage}")


def _time_of(
    frame: bytes, times: list[tuple[_Network, _Network, int]], others: int | None
) -> tuple[rtt_option.Found, int] | None:
    """Where a frame's IP header is, and its time in us."""
    found = rtt_option.find(frame)
    if found is None:
        return None
    source, destination = found.addresses(frame)
    us = next((us for a, b, us in times if source in a and destination in b), others)
    return None if us is None else (found, us)


def _microseconds(time_s: float) -> int:
    us = round(time_s * 1e6)
    if not 0 <= us <= rtt_option.MOST_US:
        raise UserError(f"a round-trip time is from 0 to {rtt_option.MOST_US / 1e6:.0f} s, not {time_s:g} s")
    return us


def _read(file: Path) -> list[tuple[_Network, _Network, int]]:
    times = []
    try:
        rows = list(csv.reader(file.read_text().splitlines()))
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    for number, row in enumerate(rows, 1):
        try:
            source, destination, time = row
            us = _microseconds(TIME_S.convert(time.strip(), None, None))
            times.append((ip_network(source.strip()), ip_network(destination.strip()), us))
        except (ValueError, click.ClickException) as error:
            raise UserError(f"{file}, line {number}: {error}") from None
    return times
