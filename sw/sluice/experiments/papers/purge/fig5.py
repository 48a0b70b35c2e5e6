# SPDX-License-Identifier: Apache-2.0
"""Purge, figure 5: what its counting costs against the link's rate, in gates and in software on this machine.

The paper has the processor time of its simulation, which grows with the rate. Here a second of the link is a window of the
counter: the RTL takes one packet per clock of its place-and-route result, the C++ program the time that it is measured to take.
"""

from __future__ import annotations

import subprocess

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import purge
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import Result
from sluice.support import paths, results_table

RATES_MBPS = (10, 50, 100, 150, 200)

FLOWS = 600

COLUMNS = {"purge": "purge", "mincount-1024": "mincount-1024", "C++": ""}
"""Configurations of the RTL by column; the software has none."""


def cells() -> list[Cell]:
    """One cell for each rate and column."""
    return [
        Cell(aqm=column, point=f"{rate} Mbit/s", config=config, scenario=_network(rate))
        for rate in RATES_MBPS
        for column, config in COLUMNS.items()
    ]


def _network(rate_mbps: float) -> Scenario:
    return Scenario(
        name="purge-fig5",
        summary=f"{FLOWS} flows fill {rate_mbps:g} Mbit/s",
        duration_s=1,
        warmup_s=0,
        limit=100,
        packet_bytes=purge.PACKET_BYTES,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=2)],
        access=Access(rate_mbps=rate_mbps, delay_ms=2),
        flows=flow_groups([{"kind": "tcp", "count": FLOWS}]),
        tcp=NS2_LIKE,
    )


def measure(cell: Cell, seed: int) -> Result:
    """Packets of some seconds of the link, and the seconds that they take."""
    link_s = cell.scenario.duration_s
    packets = round(cell.scenario.rate_pps * link_s)
    if cell.config:
        row = results_table.row(paths.root() / "fpga" / "results" / "ecp5.csv", cell.config)
        return {"packets": packets, "link_s": link_s, "busy_s": packets / float(row["fmax_mhz_median"]) / 1e6}
    command = [str(paths.made(paths.mincount_bench())), str(packets), str(FLOWS), str(seed)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return {"packets": packets, "link_s": link_s, "busy_s": float(answer[1]) * 1e-9}


experiment = Experiment(
    name="purge-fig5",
    summary="Purge's figure 5: what counting flows costs against the link's rate, in gates and in software",
    duration_s=1,
    seeds=5,
    settings={
        "load": f"packets of {purge.PACKET_BYTES} bytes of {FLOWS} flows in random order; a second is a window",
        "RTL": "one packet per clock at the clock rate of fpga/results/ecp5.csv; purge judges each packet and counts its flow,"
        " mincount-1024 counts only",
        "C++": "MINCOUNT with the same buckets and estimate and a simpler hash; counts only, in a loop with nothing else to do,"
        " on one core of this machine",
        "published": "curves only: linear, about 0.6 s of processor time for a second of 10 Gbit/s with all of the simulation",
    },
    cells=cells,
    metrics={
        "busy_percent": lambda result: 100 * result["busy_s"] / result["link_s"],
        "million_per_s": lambda result: result["packets"] / result["busy_s"] / 1e6,
    },
    measure=measure,
    quick_points=("10 Mbit/s", "200 Mbit/s"),
)
