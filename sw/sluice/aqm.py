# SPDX-License-Identifier: Apache-2.0
"""The queue discipline of a run: a Sluice tile, or one of ns-3's own to compare with.

Both are set in the words of the register map (`min`, `max`, `probability`, `limit`, ...) and `weight`, which
stands for the exponents that a configuration has. So one set of settings drives hardware and simulator
alike: for ns-3's own disciplines it is translated here. Those also take ns-3's attribute names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sluice import catalog, paths, red_auto
from sluice.errors import UserError
from sluice.registers import RegisterMap
from sluice.scenario import Scenario
from sluice.units import number_or_text

IDLE_RATE_NS = 16
"""Time that the parameter `idle_rate` counts packets in."""

Settings = Mapping[str, float | str]


@dataclass(frozen=True)
class Aqm:
    """A queue discipline with all its parameters."""

    name: str
    parameters: dict[str, float | str]
    """What was set, in the user's words."""
    text: str
    """The object in ns-3's notation, type[attribute=value|...]."""
    model: Path | None = None
    """Shared library of the tile; nothing for ns-3's own."""


@dataclass(frozen=True)
class Ns3Discipline:
    """One of ns-3's own disciplines, and how our parameter names translate to its attributes."""

    type: str
    algorithm: str
    attributes: dict[str, Callable[[float], str]]
    """For each parameter, the attribute and its value as text."""
    fixed: tuple[str, ...] = ()
    """Attributes that make it what it is."""


def _plain(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={value:g}"


def _flag(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={'true' if value else 'false'}"


def _time(attribute: str) -> Callable[[float], str]:
    return lambda value: f"{attribute}={value:.0f}ns"


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
        _LIMIT | {"target": _time("Target"), "interval": _time("Interval"), "ecn": _flag("UseEcn")},
    ),
    "ns3-fq-codel": Ns3Discipline(
        "ns3::FqCoDelQueueDisc",
        "fq_codel",
        _LIMIT | {"target": _time("Target"), "interval": _time("Interval"), "ecn": _flag("UseEcn")},
    ),
    "ns3-pie": Ns3Discipline(
        "ns3::PieQueueDisc",
        "pie",
        _LIMIT
        | {
            "target": _time("QueueDelayReference"),
            "tupdate": _time("Tupdate"),
            "ecn": _flag("UseEcn"),
        },
    ),
}


def resolve(name: str, scenario: Scenario, overrides: Settings, seed: int) -> Aqm:
    """The discipline of that name with the scenario's settings for its algorithm and the user's own on top."""
    if name in NS3:
        return _own_of_ns3(name, scenario, overrides)
    found = catalog.load()
    if name not in found.config_names:
        raise UserError(catalog.unknown("AQM", name, found.config_names + list(NS3)))
    return _tile(found.config(name), scenario, overrides, seed)


def parse_settings(pairs: tuple[str, ...]) -> dict[str, float | str]:
    """Settings out of `key=value` arguments; a value that is no number stays text."""
    settings: dict[str, float | str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals and value) or any(letter in pair for letter in "|[],"):
            raise UserError(f"--set takes key=value, not '{pair}'")
        settings[key] = number_or_text(key, value)
    return settings


def numbers(settings: Settings) -> dict[str, float]:
    """The settings of a tile, which takes only numbers."""
    for key, value in settings.items():
        if isinstance(value, str):
            raise UserError(f"{key}: '{value}' is not a number")
    return {key: value for key, value in settings.items() if not isinstance(value, str)}


def _tile(config: catalog.Config, scenario: Scenario, overrides: Settings, seed: int) -> Aqm:
    registers = RegisterMap.load(paths.made(paths.register_map(config.name)))
    offered = _weight(scenario.settings.get(config.algorithm, {}), registers)
    wanted = _facts(scenario, registers.parameters) | offered | _weight(overrides, registers)
    parameters = numbers(wanted)
    for key, value in parameters.items():
        registers.parameter(key).raw(value)
    model = paths.made(paths.model(config.name))
    listed = ",".join(f"{key}={value!r}" for key, value in parameters.items())
    text = f"ns3::SluiceQueueDisc[Model={model}|Seed={seed}|Parameters={listed}]"
    return Aqm(config.name, {**parameters}, text, model)


def _own_of_ns3(name: str, scenario: Scenario, overrides: Settings) -> Aqm:
    discipline = NS3[name]
    facts = _facts(scenario, discipline.attributes)
    offered = scenario.settings.get(discipline.algorithm, {})
    known = {key: value for key, value in offered.items() if key in discipline.attributes}
    parameters: dict[str, float | str] = {**facts, **known, **overrides}
    attributes = list(discipline.fixed)
    if discipline.type == "ns3::RedQueueDisc":
        hop = scenario.hops[0]
        attributes += [
            f"LinkBandwidth={hop['rate_mbps']:g}Mbps",
            f"LinkDelay={hop['delay_ms']:g}ms",
        ]
    for key, value in parameters.items():
        if key in discipline.attributes and not isinstance(value, str):
            attributes.append(discipline.attributes[key](value))
        elif key[0].isupper():
            attributes.append(f"{key}={value}")
        else:
            raise UserError(
                f"{name} has no parameter '{key}'; it has: {', '.join(discipline.attributes)} and ns-3's attributes"
            )
    return Aqm(name, parameters, f"{discipline.type}[{'|'.join(attributes)}]")


def _weight(settings: Settings, registers: RegisterMap) -> dict[str, float | str]:
    """The settings with `weight`, if there, as the registers that the configuration has."""
    wanted = settings.get("weight")
    if red_auto.EXPONENT not in registers.parameters or wanted is None:
        return dict(settings)
    if not isinstance(wanted, int | float) or not 0 < wanted <= 1:
        raise UserError(f"weight={wanted} is not within 0..1")
    found = red_auto.nearest_weight(wanted, red_auto.HALF in registers.parameters)
    others = {key: value for key, value in settings.items() if key != "weight"}
    return {**others, **found}


def _facts(scenario: Scenario, known: Mapping[str, object]) -> dict[str, float | str]:
    facts = {
        "limit": scenario.limit,
        "avpkt": scenario.packet_bytes,
        "idle_rate": scenario.rate_pps * IDLE_RATE_NS * 1e-9,
    }
    return {key: value for key, value in facts.items() if key in known}
