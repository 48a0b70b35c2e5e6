# SPDX-License-Identifier: Apache-2.0
"""One closed-loop run: a scenario and an AQM become a job for the ns-3 worker, and its answer a result.

ns-3 runs in a process of its own, which it shares with nothing of this package but JSON over pipes.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sluice.loop import metrics
from sluice.loop.aqm import Aqm, Settings, resolve
from sluice.loop.scenario import Scenario, expand
from sluice.loop.scenario_format import Hop
from sluice.support import paths
from sluice.support.errors import UserError

Progress = Callable[[float], None]
"""Called with the simulated seconds done so far."""


ECN = "ns3::TcpSocketBase::UseEcn"
"""ns-3's attribute that lets TCP negotiate ECN."""

COMES_AND_GOES = ("tcp_onoff", "web", "short", "incast")
"""Kinds of flows that do not always have data, so that their rates are no shares of a link."""


@dataclass(frozen=True)
class Job:
    """One run, fully decided."""

    scenario: Scenario
    aqm: Aqm
    seed: int

    def request(self) -> dict[str, Any]:
        """The run as the worker takes it."""
        scenario = self.scenario
        return {
            "seed": self.seed,
            "duration_s": scenario.duration_s,
            "warmup_s": scenario.warmup_s,
            "packet_bytes": scenario.packet_bytes,
            "sample_interval_s": scenario.sample_interval_s,
            "defaults": ({ECN: "On"} if scenario.ecn else {}) | scenario.tcp,
            "hops": [_hop(hop, scenario.duration_s) | {"aqm": self.aqm.text} for hop in scenario.hops],
            "access": {"rate_mbps": scenario.access.rate_mbps},
            "flows": expand(scenario, self.seed),
        }


def prepare(scenario: Scenario, aqm: str, overrides: Settings, seed: int) -> Job:
    """The job of one run; whatever is missing of the AQM's RTL, model or simulator is built first."""
    paths.made(paths.ns3_module())
    return Job(scenario, resolve(aqm, scenario, overrides, seed), seed)


def simulate(job: Job, progress: Progress = lambda _: None) -> dict[str, Any]:
    """Run the job in a worker; what the worker refuses becomes a user error."""
    # The answer goes to a file: a pipe would fill up while the progress is being read from the other one.
    with tempfile.TemporaryFile("w+") as answer:
        command = [sys.executable, str(paths.worker())]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=answer, stderr=pipe, text=True) as process:
            try:
                complaint = _converse(process, json.dumps(job.request()), progress)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            reason = complaint.rpartition("error: ")[2].strip() or "the simulation died"
            raise UserError(f"{job.aqm.name}: {reason}")
        answer.seek(0)
        return summarise(job, json.load(answer))


def _hop(hop: Hop, duration_s: float) -> dict[str, Any]:
    changes = [step.model_dump() for step in hop.steps_until(duration_s)]
    steps = {"steps": changes} if changes else {}
    back = {"back": {"rate_mbps": hop.back.rate_mbps, "queue_packets": hop.back.limit}} if hop.back else {}
    return {"rate_mbps": hop.rate_mbps, "delay_ms": hop.delay_ms} | steps | back


def _converse(process: subprocess.Popen[str], request: str, progress: Progress) -> str:
    """Send the request and follow the progress to the end; the last line that was none."""
    assert process.stdin is not None
    assert process.stderr is not None
    with contextlib.suppress(BrokenPipeError):  # a worker that ends early says why below
        process.stdin.write(request)
        process.stdin.close()
    complaint = ""
    for line in process.stderr:
        if line.startswith("progress "):
            progress(float(line.split()[1]))
        else:
            complaint = line
    return complaint


def summarise(job: Job, answer: dict[str, Any]) -> dict[str, Any]:
    """The result in the shape that `sluice run --json` writes, with the worker's series beside it.

    The numbers are of the first bottleneck and of the time after the warm-up.
    """
    scenario = job.scenario
    hop = answer["hops"][0]
    measured = hop["measured"]
    measured_s = scenario.duration_s - scenario.warmup_s
    # What each flow would have if those that always have data shared the link alone.
    directions = {flow["id"]: flow["direction"] for flow in expand(scenario, job.seed)}
    flows = [flow | {"direction": directions[flow["id"]]} | hop["by_flow"][flow["id"]] for flow in answer["flows"]]
    steady = [flow for flow in flows if flow["kind"] not in COMES_AND_GOES and flow["direction"] == "forth"]
    rates = [flow["throughput_mbps"] for flow in steady]
    fair_mbps = scenario.capacity_mbps / max(len(rates), 1)
    return {
        "aqm": job.aqm.name,
        "scenario": scenario.name,
        "seed": job.seed,
        "duration_s": scenario.duration_s,
        "warmup_s": scenario.warmup_s,
        "parameters": job.aqm.parameters,
        "flows": flows,
        "fair_mbps": fair_mbps,
        "jain": metrics.jain(rates),
        "norm_kbps": 1000 * metrics.norm(rates, fair_mbps),
        "utilisation": measured["departed_bytes"] * 8e-6 / (measured_s * scenario.capacity_mbps),
        "arrivals": measured["arrived"],
        "queue_packets": hop["queue_packets"],
        "queue_delay_ms": hop["queue_delay_ms"],
        "drops": measured["drops"],
        "marks": measured["marks"],
        "wall_s": answer["wall_s"],
        "events": answer["events"],
        "series": hop["series"],
        "flow_series": answer["per_flow_series"],
    }
