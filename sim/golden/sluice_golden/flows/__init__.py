# SPDX-License-Identifier: Apache-2.0
"""Schemes that know something of each flow: what it has queued, what was captured of it, its bins."""

from __future__ import annotations
