# SPDX-License-Identifier: Apache-2.0
"""REM, PI and AVQ with 30 to 100 greedy TCP flows, with ECN and without, beside ns-2's own code with ns-2's own TCP."""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment, data
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

FLOWS = (30, 60, 100)

AQMS = ("rem", "rem-head", "pi", "avq")

NS2 = {"rem-head": "REM"}
"""What ns-2 calls those that it has by another name."""

DURATION_S = 100
RATE_MBPS = 10

ALWAYS_MARKS = {"mark_most": 1}
"""ns-2's code marks at any probability."""


DOWN_TO_ONE = "ns3::TcpAimd[Least=1]"
"""TCP whose window may fall to one segment, as ns-2's; ns-3's and RFC 5681's stays at two."""


def scenario(flows: int, ecn: bool, congestion: str = "ns3::TcpNewReno") -> Scenario:
    """So many flows over one link, all with the same round trip."""
    tcp = NS2_LIKE | {"ns3::TcpSocket::InitialCwnd": "2"}
    return Scenario(
        name="controllers-ns2",
        summary=f"{flows} TCP flows share {RATE_MBPS} Mbit/s, 80 ms round trip",
        duration_s=DURATION_S,
        warmup_s=20,
        limit=200,
        packet_bytes=1000,
        ecn=ecn,
        hops=[Hop(rate_mbps=RATE_MBPS, delay_ms=20)],
        access=Access(rate_mbps=100, delay_ms=10),
        flows=flow_groups(
            [{"name": "ftp", "kind": "tcp", "count": flows, "start_spread_s": 1, "congestion": congestion}]
        ),
        tcp=tcp,
        settings={algorithm: dict(ALWAYS_MARKS) for algorithm in ("rem", "pi", "avq")},
    )


def _ns2(aqm: str, flows: int, ecn: bool) -> dict[str, list[float]]:
    wanted = {"aqm": NS2.get(aqm, aqm.upper()), "flows": str(flows), "ecn": str(int(ecn))}
    runs = [row for row in data.rows("ns2-controllers.csv") if wanted.items() <= row.items()]
    return {
        "utilisation": [float(row["utilisation"]) for row in runs],
        "queue_packets": [float(row["queue_packets"]) for row in runs],
        "signals_percent": [float(row["drop_pct"]) + float(row["mark_pct"]) for row in runs],
    }


def cells() -> list[Cell]:
    """One cell for each scheme and number of flows, with ECN and without; only with ECN it matters where REM marks."""
    beside_ns2 = [
        Cell(
            aqm=aqm,
            point=f"{flows} flows{', ECN' if ecn else ''}",
            config=aqm,
            scenario=scenario(flows, ecn),
            ns2=_ns2(aqm, flows, ecn),
        )
        for ecn in (False, True)
        for flows in FLOWS
        for aqm in AQMS
        if ecn or aqm != "rem-head"
    ]
    least_windows = [
        Cell(
            aqm="rem-head",
            point=f"{flows} flows, ECN, windows down to 1",
            config="rem-head",
            scenario=scenario(flows, True, DOWN_TO_ONE),
            ns2=_ns2("rem-head", flows, True),
        )
        for flows in FLOWS[1:]
    ]
    return beside_ns2 + least_windows


def _signals_percent(result: dict[str, Any]) -> float:
    """Packets dropped or marked, in percent of arrivals."""
    return metrics.drop_percent(result) + metrics.mark_percent(result)


experiment = Experiment(
    name="controllers-ns2",
    summary="REM, PI and AVQ beside ns-2's own: use of the link, queue, drops and marks with 30 to 100 TCP flows",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "network": "10 Mbit/s, round trip 80 ms, buffer 200 packets of 1000 B; each scheme in its defaults, which are ns-2's",
        "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms, initial window 2",
        "windows down to 1": f"{DOWN_TO_ONE}: after a mark a window may be of one segment, as in ns-2",
        "duration": f"{DURATION_S} s, the first fifth discarded; PI is still on its way then",
        "rem": "marks when a packet arrives, ns-2 when it leaves, as rem-head does",
    },
    cells=cells,
    metrics={
        "utilisation": lambda result: result["utilisation"],
        "queue_packets": lambda result: result["queue_packets"]["mean"],
        "signals_percent": _signals_percent,
    },
    quick_points=("60 flows", "60 flows, ECN"),
)
