# SPDX-License-Identifier: Apache-2.0
"""The queue of a flow, by a hash under a secret."""

from __future__ import annotations

FLOW_BITS = 32


def secret_bits(queue_bits: int) -> int:
    """What a secret has for queues whose numbers have so many bits."""
    return FLOW_BITS + queue_bits - 1


def hashed_queue(flow: int, secret: int, queue_bits: int) -> int:
    """Toeplitz' hash (H. Krawczyk, "LFSR-based Hashing and Authentication", 1994): each set bit of the flow id adds, without
    carry, as many bits of the secret as a queue's number has, from the bit of the same place on. Of two flow ids each difference
    of their hashes is equally likely over all secrets, so two flows share a queue with a chance of one in as many as there are.
    """
    queue = 0
    for place in range(FLOW_BITS):
        if flow >> place & 1:
            queue ^= secret >> place
    return queue & ((1 << queue_bits) - 1)
