# SPDX-License-Identifier: Apache-2.0
"""RED and what its authors and others made of it."""

from __future__ import annotations
