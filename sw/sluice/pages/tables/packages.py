# SPDX-License-Identifier: Apache-2.0
"""The packages of the host software, each with the first sentence that it says of itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence

import sluice
from sluice.pages.tables.markdown import Lines, head, line


def packages(_arguments: Sequence[str]) -> Lines:
    """Those of `sluice` itself, without what is in them."""
    lines = head("", "")
    for entry in pkgutil.iter_modules(sluice.__path__):
        if entry.ispkg:
            said = importlib.import_module(f"sluice.{entry.name}").__doc__ or ""
            sentence = " ".join(said.partition("\n\n")[0].split()).removesuffix(".")
            lines.append(line(f"`sw/sluice/{entry.name}`", sentence))
    return lines
