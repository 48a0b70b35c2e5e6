# SPDX-License-Identifier: Apache-2.0
"""Captures that are made, not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.packets import capture

if TYPE_CHECKING:
    from sluice.packets.capture import Capture


def capture_of(frames: list[bytes]) -> Capture:
    """Frames as a capture, all at time 0."""
    return capture.of("made", [0] * len(frames), frames)
