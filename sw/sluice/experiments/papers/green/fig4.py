# SPDX-License-Identifier: Apache-2.0
"""GREEN, figure 4: the same with a TCP flow over a modem beside each TCP flow."""

from __future__ import annotations

from sluice.experiments.papers import green

experiment = green.experiment(
    "green-fig4",
    "GREEN's figure 4: as figure 2, with as many TCP flows over links of 56 kbit/s beside",
    {"background": "TCP over access links of 56 kbit/s"},
    background=[{"kind": "tcp", "access_mbps": 0.056, "start_spread_s": 1}],
)
