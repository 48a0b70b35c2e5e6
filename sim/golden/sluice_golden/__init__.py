# SPDX-License-Identifier: Apache-2.0
"""Golden models: what each core must do, bit for bit, and what the paper says it should do.

The package imports nothing from the hardware and shares no constant with it. Each algorithm is a module of its own that
offers an exact integer model (a subclass of :class:`CoreModel`); rounding and saturation are decided here and nowhere else.
"""

from __future__ import annotations

from sluice_golden.core import Arrival, CoreModel, Departed, Head, Settled, Verdict
from sluice_golden.registry import models

__all__ = ["Arrival", "CoreModel", "Departed", "Head", "Settled", "Verdict", "models"]
