# SPDX-License-Identifier: Apache-2.0
"""Captures that are made, not read."""

from __future__ import annotations

import numpy as np

from sluice.packets.capture import Capture


def capture_of(frames: list[bytes]) -> Capture:
    """Frames as a capture, all at time 0."""
    length = np.array([len(frame) for frame in frames], dtype=np.uint32)
    ends = np.cumsum(length, dtype=np.uint64)
    data = np.frombuffer(b"".join(frames), dtype=np.uint8)
    numbers = np.arange(1, len(frames) + 1, dtype=np.uint32)
    return Capture("made", numbers, np.zeros(len(frames), np.uint64), ends - length, length, length, data, 0)
