# SPDX-License-Identifier: Apache-2.0
"""GREEN, figure 2: how fairly 100 to 400 flows of unequal round trips share a link."""

from __future__ import annotations

from sluice.experiments.papers import green

experiment = green.experiment(
    "green-fig2",
    "GREEN's figure 2: fairness, utilisation and loss of 100 to 400 TCP flows of 72 to 470 ms, 155 Mbit/s",
    {},
    background=[],
)
