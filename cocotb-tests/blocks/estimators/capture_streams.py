# SPDX-License-Identifier: Apache-2.0
"""Steps for the blocks that keep captures: random arrivals, lengths that change, resets, and the levels that go with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

INPUTS = [
    "io_step_valid",
    "io_step_payload_flow",
    "io_step_payload_isCaptured",
    "io_step_payload_list_isCut",
    "io_step_payload_list_level",
    "io_step_payload_window_isCut",
    "io_step_payload_window_level",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One cycle. Limits are those of list and window."""

    is_reset: bool
    is_valid: bool
    flow: int
    is_captured: bool
    limits: tuple[int, int]


def steps(
    rng: np.random.Generator, count: int, most: tuple[int, int], least: int, flows: int, p_cap: float, duty: float
) -> list[Step]:
    """`most`: capacities of list and window. The limits change every few hundred cycles, now and then a reset comes, and in
    the cycle behind it nothing, as in a pipeline."""
    ids = rng.integers(0, 2**32, flows)
    limits, is_reset = most, True
    made = []
    for _ in range(count):
        if rng.random() < 0.004:
            length = int(rng.integers(least, most[0] + 1))
            limits = length, int(rng.integers(1, min(length, most[1]) + 1))
        was_reset, is_reset = is_reset, rng.random() < 0.001
        is_valid = not is_reset and not was_reset and rng.random() < duty
        made.append(Step(is_reset, is_valid, int(rng.choice(ids)), rng.random() < p_cap, limits))
    return made


def levels(stream: list[Step]) -> dict[str, np.ndarray]:
    """The inputs of the block for a stream."""
    columns = np.zeros((len(stream), len(INPUTS)), dtype=np.uint32)
    fill = [0, 0]
    for row, step in zip(columns, stream, strict=True):
        if step.is_reset:
            fill = [0, 0]
        cuts = [level + step.is_captured > limit for level, limit in zip(fill, step.limits, strict=True)]
        row[:] = [step.is_valid, step.flow, step.is_valid and step.is_captured, cuts[0], fill[0], cuts[1], fill[1]]
        if step.is_valid:
            fill = [level + step.is_captured - cut for level, cut in zip(fill, cuts, strict=True)]
    given = {name: columns[:, i] for i, name in enumerate(INPUTS)}
    return given | {"rst": np.array([step.is_reset for step in stream], dtype=np.uint32)}
