# SPDX-License-Identifier: Apache-2.0
"""The catalogue that the generator writes: which algorithms and configurations exist."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sluice.support import paths
from sluice.support.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")


@dataclass(frozen=True)
class Algorithm:
    """One AQM algorithm, whatever its configuration."""

    name: str
    summary: str
    latency_cycles: int
    default_config: str
    reasons: list[dict[str, Any]]
    parameters: list[dict[str, Any]]


@dataclass(frozen=True)
class Config:
    """One named configuration of an algorithm: what a tile is generated from."""

    name: str
    algorithm: str
    grade: str
    latency_cycles: int
    digest: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class Catalog:
    """All algorithms and configurations of one generator run."""

    version: str
    algorithms: list[Algorithm]
    configs: list[Config]

    @cached_property
    def config_names(self) -> list[str]:
        """Names of all configurations, in the generator's order."""
        return [config.name for config in self.configs]

    def config(self, name: str) -> Config:
        """The configuration of that name; a user error that names the nearest ones otherwise."""
        for config in self.configs:
            if config.name == name:
                return config
        raise UserError(unknown("configuration", name, self.config_names))


def load() -> Catalog:
    """Read the catalogue, generating it first if it is not there."""
    return _loaded(*_state())


def entries(key: str, record: type[Entry]) -> list[Entry]:
    """What the generator lists under a key, as records with the fields that these know."""
    return [record(**_known(record, entry)) for entry in _read()[key]]


def unknown(kind: str, name: str, names: list[str]) -> str:
    """Sentence for a name that does not exist: the nearest names, or all of them."""
    near = difflib.get_close_matches(name, names, n=3)
    return f"unknown {kind} '{name}'; " + (
        f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    )


def _read() -> dict[str, Any]:
    return _parsed(*_state())


def _state() -> tuple[Path, int]:
    file = paths.made(paths.catalog())
    return file, file.stat().st_mtime_ns


@lru_cache(maxsize=1)
def _loaded(_file: Path, _changed_ns: int) -> Catalog:
    """Once for each state of the file: the pages alone ask for it ten thousand times."""
    return Catalog(_read()["version"], entries("algorithms", Algorithm), entries("configs", Config))


@lru_cache(maxsize=1)
def _parsed(file: Path, changed_ns: int) -> dict[str, Any]:
    """The same for what else it says."""
    del changed_ns
    data: dict[str, Any] = json.loads(file.read_text())
    return data


def _known(record: type[DataclassInstance], entry: dict[str, Any]) -> dict[str, Any]:
    return {field.name: entry[field.name] for field in fields(record)}
