# SPDX-License-Identifier: Apache-2.0
"""The machine that all this runs on."""

from __future__ import annotations

import os


def cores() -> int:
    """Processors that this process may use, and so the processes that work side by side where nobody says how many."""
    return len(os.sched_getaffinity(0))
