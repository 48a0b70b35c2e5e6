# SPDX-License-Identifier: Apache-2.0
"""Host software of Sluice: closed-loop experiments, synthesis runs, reports and the register driver."""

from __future__ import annotations

from importlib.metadata import version

__version__ = version("sluice")
