# SPDX-License-Identifier: Apache-2.0
"""URED among subscribers in tunnels: what one that sends too much loses, and what it costs the others.

Not of the paper, whose users are flows of a simulator. Here frames of GTP-U and PPPoE go through the RTL of a whole datapath,
which finds the tunnels itself. Nobody heeds a loss: it is what the scheme takes from whom.
"""

from __future__ import annotations

from collections import Counter
from statistics import mean

from sluice.experiments import Cell, Experiment, udp
from sluice.hardware import datapaths
from sluice.loop import aqm
from sluice.loop.scenario import Scenario, expand, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import Result
from sluice.packets import capture, replay, tunnels
from sluice.packets.datapath import ACTIONS

DATAPATHS = {"ured": "ured-64", "red": "red-512", "droptail": "droptail-512"}
"""By column. Their widths are all the same to a link this slow."""

POINTS = {"greedy one in GTP-U": "gtp", "greedy one in PPPoE": "pppoe"}
"""Kind of the greedy subscriber's tunnel."""

SUBSCRIBERS = 20
GREEDY = 1
"""Number of the one that sends too much."""

LINK_MBPS = 50
REGULAR_MBPS, GREEDY_MBPS = 1.5, 50
"""What each offers, as IP packets in its tunnel. A fair share is 2.5 Mbit/s."""

PACKET_BYTES = (140, 640, 1340, 1340)
"""Of each flow of a subscriber, which send equally many: URED counts packets, and all have the same mix."""

BUFFER = 60
"""Full frames: as many as a packet buffer of 128 KiB holds, with room."""

SETTINGS = {"min": BUFFER / 4, "max": BUFFER / 2, "weight_exponent": 7}
"""A quarter and half of the buffer, and an average that is faster than it fills."""

BY_TUNNEL = {"key_mode": 2}
"""To the datapath a tunnel is a flow."""


def network(greedy_kind: str) -> Scenario:
    """All before one link, every other one in GTP-U and in PPPoE; the greedy one is of that kind."""
    (other_kind,) = set(tunnels.OUTER) - {greedy_kind}
    offered = dict.fromkeys(range(1, SUBSCRIBERS + 1), REGULAR_MBPS) | {GREEDY: GREEDY_MBPS}
    flows = [
        {
            "name": f"subscriber-{number}-{index}",
            "subscriber": f"{other_kind if (number - GREEDY) % 2 else greedy_kind}-{number}",
            **udp.at_random(mbps * size / sum(PACKET_BYTES), size, LINK_MBPS),
        }
        for number, mbps in offered.items()
        for index, size in enumerate(PACKET_BYTES)
    ]
    return Scenario(
        name="ured-tunnels",
        summary=f"{SUBSCRIBERS} subscribers in tunnels share {LINK_MBPS} Mbit/s; one sends as much alone",
        duration_s=1,
        warmup_s=0,
        limit=BUFFER,
        packet_bytes=max(PACKET_BYTES),
        hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=0)],
        access=Access(rate_mbps=LINK_MBPS, delay_ms=0),
        flows=flow_groups(flows),
        settings={"all": SETTINGS},
    )


def frames(scenario: Scenario, seed: int) -> tuple[list[int], list[bytes]]:
    """What comes to the link: times in ns and frames."""
    return tunnels.frames(expand(scenario, seed), scenario.duration_s, seed)


def parameters(config: str, scenario: Scenario) -> dict[str, float]:
    """What a datapath around that configuration is set to, but for its link."""
    return aqm.numbers(aqm.resolve(config, scenario, {}, seed=1).parameters) | BY_TUNNEL


def losses(subscribers: list[int], dropped: list[bool]) -> dict[int, float]:
    """The part of each subscriber's frames that was dropped, by its number."""
    offered = Counter(subscribers)
    lost = Counter(number for number, is_lost in zip(subscribers, dropped, strict=True) if is_lost)
    return {number: lost[number] / offered[number] for number in offered}


def measure(cell: Cell, seed: int) -> Result:
    """The losses, by number."""
    chosen = datapaths.find(cell.config)
    times_ns, sent = frames(cell.scenario, seed)
    captured = capture.of(cell.scenario.name, times_ns, sent)
    settings = parameters(chosen.config, cell.scenario)
    seen = replay.through(chosen, captured, captured.time_ns, LINK_MBPS * 1e6, settings).outcome.seen
    lost = losses(seen["tunnel_id"].tolist(), (seen["action"] == ACTIONS.index("drop")).tolist())
    return {"greedy": lost.pop(GREEDY), "others": list(lost.values())}


experiment = Experiment(
    name="ured-tunnels",
    summary="URED among real tunnels, frame by frame: loss of one subscriber that fills the link, and of 19 others",
    duration_s=1,
    seeds=5,
    settings={
        "what runs": "the RTL datapaths " + ", ".join(DATAPATHS.values()) + ", which take a tunnel for a flow; no ns-3",
        "network": f"{LINK_MBPS} Mbit/s; buffer {BUFFER} frames",
        "subscribers": f"ten in GTP-U and ten in PPPoE, four UDP flows each; 19 offer {REGULAR_MBPS} Mbit/s, one {GREEDY_MBPS}",
        "frames": f"IP packets of {', '.join(map(str, PACKET_BYTES))} bytes, as many of each, at random (exponential) intervals",
        "AQM": f"min {SETTINGS['min']:g}, max {SETTINGS['max']:g}, w 2^-{SETTINGS['weight_exponent']}, URED's w_i 2^-3; the rest"
        " as a scenario of that link and buffer has it",
        "measured": "from the first frame on",
    },
    cells=lambda: [
        Cell(aqm=column, point=point, config=config, scenario=network(kind))
        for point, kind in POINTS.items()
        for column, config in DATAPATHS.items()
    ],
    metrics={
        "greedy_loss_percent": lambda result: 100 * result["greedy"],
        "others_loss_percent": lambda result: 100 * mean(result["others"]),
        "worst_other_loss_percent": lambda result: 100 * max(result["others"]),
    },
    measure=measure,
)
