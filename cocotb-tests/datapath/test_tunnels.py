# SPDX-License-Identifier: Apache-2.0
"""Subscribers in tunnels, as `sluice replay` has them from a capture: to URED each is one, whatever flows are inside, and of
all of them only the one that sends too much loses frames. `sluice reproduce ured-tunnels` has the same beside RED."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from datapath.replaying import run

from sluice.experiments.papers.ured import tunnels
from sluice.packets import capture

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", ["gtp", "pppoe"])
def test_only_the_greedy_subscriber_loses(tmp_path: Path, kind: str) -> None:
    """More than half of what it sends, and no other one frame in a hundred."""
    network = tunnels.network(kind).lasting(0.5)
    pcap, table = tmp_path / "tunnels.pcap", tmp_path / "frames.tsv"
    capture.write(pcap, *tunnels.frames(network, 1))
    settings = [f"--set={name}={value}" for name, value in tunnels.parameters("ured", network).items()]
    rate = f"{tunnels.LINK_MBPS}M"
    assert run(str(pcap), "--config", "ured-64", "--rate", rate, *settings, "--frames", str(table)) == 0
    rows = list(csv.DictReader(table.read_text().splitlines(), delimiter="\t"))
    parts = tunnels.losses(
        [int(row["gtp_teid"] or row["pppoe_sid"], 0) for row in rows], [row["verdict"] == "drop" for row in rows]
    )
    assert len(parts) == tunnels.SUBSCRIBERS
    assert parts.pop(tunnels.GREEDY) > 0.5
    assert max(parts.values()) < 0.01
