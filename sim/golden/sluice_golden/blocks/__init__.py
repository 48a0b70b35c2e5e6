# SPDX-License-Identifier: Apache-2.0
"""What several models are built of; each is one block of the hardware."""

from __future__ import annotations
