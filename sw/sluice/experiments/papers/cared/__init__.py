# SPDX-License-Identifier: Apache-2.0
"""What CARED's Tables 2, 3, 4, 6 and 7 have in common: the network, the schemes' settings, the two measures.

M. Tahiliani, K. Shet, T. Basavaraju, JNCA 2012. The paper gives neither packet size, nor buffer, nor
duration, nor ECN; ns-2.35 reproduces its tables with the settings below, and its results stand beside ours.
The tables share their runs: equal cells run once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sluice.experiments import Cell, data
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics, red_auto
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

RATE_PPS = 1250.0
"""10 Mbit/s in packets of 1000 B, the mean packet size that RED was told."""

AUTOMATIC = red_auto.thresholds(RATE_PPS)

ADAPTATION = {"interval": 5e8, "top": 0.5, "bottom": 0.01}
"""Half a second between two steps of max_p; the range in which it is moved."""


@dataclass(frozen=True)
class Column:
    """One AQM of a table."""

    config: str
    """What `--aqm` would be given."""
    ns2: str | None = None
    """Its name in ns-2's results."""


COLUMNS = {
    "red": Column("red-half-weights", ns2="REDauto"),
    "ared": Column("ared", ns2="ARED"),
    "re-ared": Column("re-ared"),
    "re-ared-m1": Column("re-ared-m1"),
    "re-ared-m2": Column("re-ared-m2"),
    "cared": Column("cared"),
    "ns3-ared": Column("ns3-ared"),
}
"""Every column of the family; the tables choose among them."""


def settings_of_all(red: dict[str, float]) -> dict[str, dict[str, float]]:
    """Settings by algorithm: RED's own, and the same with the adaptation for those that adapt."""
    adaptive = [name for name in COLUMNS if name not in {"red", "ns3-ared"}]
    return {"red": red} | dict.fromkeys(adaptive, red | ADAPTATION)


BASE = Scenario(
    name="cared",
    summary="FTP flows over 10 Mbit/s, 80 ms round trip, ECN",
    duration_s=100,
    warmup_s=0,
    limit=100,
    packet_bytes=1040,
    hops=[Hop(rate_mbps=10, delay_ms=20)],
    access=Access(rate_mbps=100, delay_ms=10),
    flows=flow_groups([{"kind": "tcp"}]),  # each experiment brings its own
    tcp=NS2_LIKE | {"ns3::TcpSocketBase::UseEcn": "On", "ns3::TcpSocket::InitialCwnd": "2"},
    settings=settings_of_all(
        {
            "min": AUTOMATIC.min,
            "max": AUTOMATIC.max,
            "weight": red_auto.weight(RATE_PPS),
            "probability": 0.1,
            "ecn": 1,
            "mark_most": 0.1,
        }
    ),
)

SETTINGS = {
    "packets": "1000 B of data; the paper gives none",
    "buffer": "100 packets; the paper gives none",
    "duration": "100 s from the start; the paper gives none",
    "ECN": "on, marks while p_b <= 0.1 and drops above; without it the table is out of reach",
    "all schemes": f"automatic: min {AUTOMATIC.min:g}, max {AUTOMATIC.max:g}, w_q 1.5 x 2^-11, gentle, max_p 0.1 at first",
    "TCP": "ns-3 NewReno with SACK, no timestamps, an ACK per segment, least RTO 200 ms, initial window 2",
}
"""What the paper left open."""

NS3_SETTING = {"ns3-ared": "ns-3's own code marks without the limit of 0.1, so it drops far less"}
"""What the tables with ns-3's own column add."""


def scenario(flows: int) -> Scenario:
    """The experiment with a number of flows."""
    return replace(BASE, flows=flow_groups([{"name": "ftp", "kind": "tcp", "count": flows, "start_spread_s": 1}]))


def cells(table: str, aqms: Sequence[str]) -> list[Cell]:
    """One cell for each of the AQMs and each number of flows of the printed table."""
    printed = data.published(table)
    return [
        Cell(
            aqm=aqm,
            point=f"{flows} flows",
            config=COLUMNS[aqm].config,
            scenario=scenario(flows),
            published=_published(printed, aqm, index),
            ns2=_ns2(COLUMNS[aqm].ns2, flows),
        )
        for aqm in aqms
        for index, flows in enumerate(printed["flows"])
    ]


def _published(printed: dict[str, Any], aqm: str, index: int) -> dict[str, float | str]:
    key = aqm.replace("-", "_")
    if key not in printed["drop_percent"]:
        return {}
    return {
        "drop_percent": printed["drop_percent"][key][index],
        "goodput_kbps": printed["throughput_kbps"][key][index],
    }


def _ns2(aqm: str | None, flows: int) -> dict[str, list[float]]:
    wanted = {"tcp": "TCP", "aqm": aqm, "flows": str(flows)}
    runs = [row for row in data.rows("ns2-cared-table6.csv") if wanted.items() <= row.items()]
    if not runs:
        return {}
    return {
        "drop_percent": [float(row["drop_pct"]) for row in runs],
        "goodput_kbps": [float(row["goodput_kbps"]) for row in runs],
    }


def goodput_kbps(result: dict[str, Any]) -> float:
    """Data delivered once, all flows together."""
    return 1000 * math.fsum(flow["goodput_mbps"] for flow in result["flows"])


METRICS: dict[str, Callable[[dict[str, Any]], float]] = {
    "drop_percent": metrics.drop_percent,
    "goodput_kbps": goodput_kbps,
}
"""The two measures of every table."""
