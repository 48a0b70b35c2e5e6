# SPDX-License-Identifier: Apache-2.0
"""GREEN, figure 3: the same with a Pareto on/off flow beside each TCP flow."""

from __future__ import annotations

from sluice.experiments.papers import green

experiment = green.experiment(
    "green-fig3",
    "GREEN's figure 3: as figure 2, with as many Pareto on/off UDP flows beside",
    {"background": "UDP of 160 kbit/s for 2 s and none for 5 s in the mean, shape 1.5, which the paper does not give"},
    background=[{"kind": "udp_onoff", "rate_mbps": 0.16, "burst_s": 2, "idle_s": 5}],
)
