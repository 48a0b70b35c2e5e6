# SPDX-License-Identifier: Apache-2.0
"""Which tests bear on one core, for `pytest --core red`: those that have its configuration as their parameter, its corners, and
those of its golden model. Tests that ask for other configurations' hardware ask for it by name, and are left out."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sluice_golden import CoreModel, models

if TYPE_CHECKING:
    import pytest

FOR_ALL = {"test_conformance", "test_rules", "test_tile", "test_register_maps"}
"""Files whose tests go over the whole catalogue, by their parameter `config`."""

GOLDEN = Path("sim/golden/tests")


def bears_on(core: str, item: pytest.Function) -> bool:
    """Whether a test says something of the core of a configuration."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if item.path.stem in FOR_ALL:
        return parameters.get("config") == core
    if any(folder.match(str(GOLDEN)) for folder in item.path.parents):
        return any(f"{module} " in item.path.read_text() for module in modules_of(core))
    if any(value in models() and value != core for value in map(str, parameters.values())):
        return False
    named = configurations_in(inspect.getsource(item.function))
    return core in configurations_in(item.path.read_text()) and (core in named or not named)


def modules_of(core: str) -> set[str]:
    """Modules of its model and of what that is derived from."""
    return {base.__module__ for base in models()[core].__mro__ if issubclass(base, CoreModel) and base is not CoreModel}


def configurations_in(text: str) -> set[str]:
    """Configurations that a source names. What has a number is a parameter, of which some are called as a configuration is."""
    return set(re.findall(r'"([\w-]+)"(?!: \d)', text)) & models().keys()
