# SPDX-License-Identifier: Apache-2.0
"""The queue discipline of a run: a Sluice tile, or one of ns-3's own to compare with.

Both are set in the words of the register map (`min`, `max`, `probability`, `limit`, ...) and in words that
stand for several registers: `weight` for the exponents that a configuration has, and those of `hazard`. So one
set of settings drives hardware and simulator alike: for ns-3's own disciplines it is translated here. Those
also take ns-3's attribute names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import hazard, red_auto, switch_words
from sluice.loop.ns3_disciplines import FOLLOWS, NS3
from sluice.loop.scenario import ALL, Scenario
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.units import number_or_text

WEIGHT = "weight"
"""Stands for the registers of RED's weight."""

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


def names() -> list[str]:
    """Every AQM there is: the configurations of the generator, then ns-3's own."""
    return [*catalog.load().config_names, *NS3]


def resolve(name: str, scenario: Scenario, overrides: Settings, seed: int) -> Aqm:
    """The discipline of that name with the scenario's settings for its algorithm and the user's own on top."""
    if name not in names():
        raise UserError(catalog.unknown("AQM", name, names()))
    if name in NS3:
        return _own_of_ns3(name, scenario, overrides, seed)
    return _tile(catalog.load().config(name), scenario, overrides, seed)


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
    return {key: _number(key, value) for key, value in settings.items()}


def _number(key: str, value: float | str) -> float:
    if isinstance(value, str):
        raise UserError(f"{key}: '{value}' is not a number")
    return value


def set_in(config: catalog.Config, registers: RegisterMap, scenario: Scenario, overrides: Settings) -> dict[str, float]:
    """What a scenario sets of a tile: what follows from the facts of its link, its own settings, and the user's on top."""
    offered = _weight(_offered(scenario, config.algorithm, registers.parameters), registers)
    return numbers(registers.following(scenario.facts) | offered | _weight(overrides, registers))


def _tile(config: catalog.Config, scenario: Scenario, overrides: Settings, seed: int) -> Aqm:
    registers = RegisterMap.load(paths.made(paths.register_map(config.name)))
    parameters = set_in(config, registers, scenario, overrides)
    written = hazard.spelled_out(parameters, registers.parameters)
    for key, value in written.items():
        registers.parameter(key).raw(value)
    model = paths.made(paths.model(config.name))
    listed = ",".join(f"{key}={value!r}" for key, value in written.items())
    words = switch_words.of(scenario.switch, registers) if scenario.switch else ""
    set_so = f"|Words={words}" if words else ""
    text = f"ns3::SluiceQueueDisc[Model={model}|Seed={seed}|Parameters={listed}{set_so}]"
    return Aqm(config.name, {**parameters}, text, model)


def _own_of_ns3(name: str, scenario: Scenario, overrides: Settings, seed: int) -> Aqm:
    discipline = NS3[name]
    facts = {key: scenario.facts[fact] for key, fact in FOLLOWS.items() if fact in scenario.facts}
    offered = _offered(scenario, discipline.algorithm, discipline.attributes)
    known = {key: value for key, value in (facts | offered).items() if key in discipline.attributes}
    parameters: dict[str, float | str] = {**discipline.defaults, **known, **overrides}
    attributes = list(discipline.fixed)
    if discipline.type == "ns3::RedQueueDisc":
        hop = scenario.hops[0]
        attributes += [
            f"LinkBandwidth={hop.rate_mbps:g}Mbps",
            f"LinkDelay={hop.delay_ms:g}ms",
        ]
    for key, value in parameters.items():
        if key in discipline.attributes:
            attributes.append(discipline.attributes[key](_number(key, value)).format(seed=seed))
        elif key[0].isupper():
            attributes.append(f"{key}={value}")
        else:
            raise UserError(
                f"{name} has no parameter '{key}'; it has: {', '.join(discipline.attributes)} and ns-3's attributes"
            )
    return Aqm(name, parameters, f"{discipline.type}[{'|'.join(attributes)}]")


def _weight(settings: Settings, registers: RegisterMap) -> dict[str, float | str]:
    """The settings with `weight`, if there, as the registers that the configuration has."""
    wanted = settings.get(WEIGHT)
    if red_auto.EXPONENT not in registers.parameters or wanted is None:
        return dict(settings)
    if not isinstance(wanted, int | float) or not 0 < wanted <= 1:
        raise UserError(f"weight={wanted} is not within 0..1")
    found = red_auto.nearest_weight(wanted, red_auto.HALF in registers.parameters)
    others = {key: value for key, value in settings.items() if key != WEIGHT}
    return {**others, **found}


def _offered(scenario: Scenario, algorithm: str, known: Mapping[str, object]) -> dict[str, float]:
    """The scenario's settings for an algorithm: its own over those of `all` that it has."""
    words = hazard.words(known) | ({WEIGHT} if red_auto.EXPONENT in known else set())
    of_all = scenario.settings.get(ALL, {})
    shared = {key: value for key, value in of_all.items() if key in known or key in words}
    own = scenario.settings.get(algorithm, {})
    weighs = {WEIGHT, red_auto.EXPONENT, red_auto.HALF}
    hidden = weighs if weighs & set(own) else set()  # a weight in other words is one, too
    return {key: value for key, value in shared.items() if key not in hidden} | own
