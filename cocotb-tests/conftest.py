# SPDX-License-Identifier: Apache-2.0
"""Lets tests and the simulator's processes import `lib` and the cocotb modules beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH", ""))))
