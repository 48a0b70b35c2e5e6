# SPDX-License-Identifier: Apache-2.0
"""Packets or bytes by one rule: where packets count, every packet and the typical packet have 256 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKET = 256


def size_of(parameters: Mapping[str, int], size: int) -> int:
    """What a packet counts, in bytes."""
    return size if parameters["byte_mode"] else PACKET


def queue_of(parameters: Mapping[str, int], packets: int, octets: int) -> int:
    """What is queued, in bytes."""
    return octets if parameters["byte_mode"] else packets * PACKET


def typical_of(parameters: Mapping[str, int]) -> int:
    """The bytes that are a packet."""
    return parameters["avpkt"] if parameters["byte_mode"] else PACKET


def inverse_of(typical: int) -> int:
    """1 / the bytes that are a packet, Q0.24: exact where packets count."""
    return (1 << 24) // typical


def is_taken_by_size(draw: int, probability: int, size: int, typical: int) -> bool:
    """Whether a draw, Q0.32, takes a packet with probability * size / typical: there is no division, and nothing is rounded."""
    return draw * typical < 2 * probability * size
