# SPDX-License-Identifier: Apache-2.0
"""Finds the models: every module of this package and of those in it that defines a :class:`CoreModel` with a name. A
configuration of other options has a class of its own, often with nothing but a name and a number: so it is found."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from pathlib import Path

from sluice_golden.core import CoreModel

_PACKAGE = __name__.rpartition(".")[0]


def _with_subclasses(model: type[CoreModel]) -> list[type[CoreModel]]:
    return [model, *(found for sub in model.__subclasses__() for found in _with_subclasses(sub))]


@functools.cache
def models() -> dict[str, type[CoreModel]]:
    """All models by the name of their configuration."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent)], f"{_PACKAGE}."):
        importlib.import_module(module.name)
    # One of two bases is found twice.
    concrete = dict.fromkeys(found for base in CoreModel.__subclasses__() for found in _with_subclasses(base))
    # Tests have models of their own.
    named = [m for m in concrete if "name" in vars(m) and m.__module__.startswith(f"{_PACKAGE}.")]
    by_name = {model.name: model for model in named}
    if len(by_name) != len(named):
        msg = f"two golden models of one name: {sorted(model.name for model in named)}"
        raise RuntimeError(msg)
    return by_name
