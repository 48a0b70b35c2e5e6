# SPDX-License-Identifier: Apache-2.0
"""URED's drop function as the words that its registers take, computed in host software because it needs a power.

The function is min(1, max_p ((x - theta) / (1 - theta))^kappa), x in units of the upper threshold, and 0 below theta. The
hardware has it at every 32nd of that and draws chords between. Of its shape HERED's authors say only that it is gentler than
RED's where the load is light and more aggressive where it is heavy, so kappa is above 1.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from sluice.support.errors import UserError

WORDS: dict[str, float] = {"probability": 0.1, "kappa": 2, "theta": 0}
"""What a user says instead of the points, and what holds of those that he does not say: max_p, kappa, theta."""

POINTS = 64
"""Two to a register."""

_PER_THRESHOLD = 32


def words(known: Container[str]) -> set[str]:
    """The words that stand for registers of an algorithm with these parameters."""
    return set(WORDS) if _pair(0) in known else set()


def spelled_out(settings: Mapping[str, float], known: Container[str]) -> dict[str, float]:
    """The settings with registers in place of the words; a point that is set itself stays."""
    said = {key: value for key, value in settings.items() if key in words(known)}
    rest = {key: value for key, value in settings.items() if key not in said}
    return {**registers(**{**WORDS, **said}), **rest} if said else rest


def registers(probability: float, kappa: float, theta: float) -> dict[str, float]:
    """The registers of a function."""
    if probability < 0 or kappa <= 0 or not 0 <= theta < 1:
        raise UserError("a drop function has probability >= 0, kappa > 0 and theta within 0..1, not 1 itself")
    rises = (max(0.0, index / _PER_THRESHOLD - theta) / (1 - theta) for index in range(POINTS))
    points = [min(round(min(1.0, probability * rise**kappa) * 2**16), 2**16 - 1) for rise in rises]
    return {_pair(index): points[index] | points[index + 1] << 16 for index in range(0, POINTS, 2)}


def _pair(index: int) -> str:
    return f"hazard_{index}_{index + 1}"
