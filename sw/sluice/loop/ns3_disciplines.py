# SPDX-License-Identifier: Apache-2.0
"""ns-3's own queue disciplines, and how our words for their parameters translate to its attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ns3Discipline:
    """One of ns-3's own disciplines, and how our parameter names translate to its attributes."""

    type: str
    algorithm: str
    attributes: dict[str, Callable[[float], str]]
    """For each parameter, the attribute and its value as text, in which `{seed}` stands for the run's."""
    fixed: tuple[str, ...] = ()
    """Attributes that make it what it is."""
    defaults: dict[str, float] = field(default_factory=dict)
    """Parameters that ns-3 would take from the simulated device, which has not what a real one has."""


def _plain(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={value:g}"


def _flag(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={'true' if value else 'false'}"


def _time(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={value:.0f}ns"


FOLLOWS = {"limit": "limit", "avpkt": "packet_bytes", "ecn": "ecn"}
"""Facts of the scenario that parameters follow from; of ours the declarations say it."""

ETHERNET_FRAME_BYTES = 1514
"""What Linux gives a flow on its turn on Ethernet: a packet of 1500 bytes and its header."""

_LIMIT = {"limit": lambda value: f"MaxSize={value:g}p"}

_RED = _LIMIT | {
    "min": _plain("MinTh"),
    "max": _plain("MaxTh"),
    "probability": lambda value: f"LInterm={1 / value:g}",
    "weight": _plain("QW"),
    "weight_exponent": lambda value: f"QW={2**-value:g}",
    "avpkt": _plain("MeanPktSize"),
    "gentle": _flag("Gentle"),
    "wait": _flag("Wait"),
    "ecn": _flag("UseEcn"),
    "hard_drop": _flag("UseHardDrop"),
}

NS3: dict[str, Ns3Discipline] = {
    "ns3-fifo": Ns3Discipline("ns3::FifoQueueDisc", "droptail", _LIMIT),
    "ns3-red": Ns3Discipline("ns3::RedQueueDisc", "red", _RED),
    "ns3-ared": Ns3Discipline(
        "ns3::RedQueueDisc",
        "ared",
        _RED | {"interval": _time("Interval"), "top": _plain("Top"), "bottom": _plain("Bottom")},
        fixed=("AdaptMaxP=true",),
    ),
    "ns3-codel": Ns3Discipline(
        "ns3::CoDelQueueDisc",
        "codel",
        _LIMIT
        | {
            "target": _time("Target"),
            "interval": _time("Interval"),
            "min_bytes": lambda value: f"MinBytes={value + 1:.0f}",  # of ours as many are no queue, of ns-3's less
            "ecn": _flag("UseEcn"),
            "ce_threshold": _time("CeThreshold"),
        },
    ),
    "ns3-fq-codel": Ns3Discipline(
        "ns3::FqCoDelQueueDisc",
        "fq_codel",
        _LIMIT
        | {
            "target": _time("Target"),
            "interval": _time("Interval"),
            "ecn": _flag("UseEcn"),
            "quantum": lambda value: f"quantum={value:.17g}",  # exact, so that the worker refuses what is not whole
            "salted": lambda value: f"Perturbation={'{seed}' if value else 0}",
        },
        defaults={"quantum": ETHERNET_FRAME_BYTES},
    ),
    "ns3-cobalt": Ns3Discipline(
        "ns3::CobaltQueueDisc",
        "cobalt",
        _LIMIT
        | {
            "target": _time("Target"),
            "interval": _time("Interval"),
            "increment": _plain("Increment"),
            "decrement": _plain("Decrement"),
            "ecn": _flag("UseEcn"),
        },
    ),
    "ns3-pie": Ns3Discipline(
        "ns3::PieQueueDisc",
        "pie",
        _LIMIT
        | {
            "target": _time("QueueDelayReference"),
            "tupdate": _time("Tupdate"),
            "alpha": _plain("A"),
            "beta": _plain("B"),
            "max_burst": _time("BurstAllowance"),
            "derandomise": _flag("UseDerandomization"),
            "mark_most": _plain("MarkEcnThreshold"),
            "ecn": _flag("UseEcn"),
        },
    ),
}
