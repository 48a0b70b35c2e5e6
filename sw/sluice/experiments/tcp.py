# SPDX-License-Identifier: Apache-2.0
"""TCP in experiments: ns-3's set as the papers' simulator has it, and what its flows lose."""

from __future__ import annotations

from typing import Any

from sluice.loop import metrics

NS2_LIKE = {
    "ns3::TcpSocketBase::Sack": "true",
    "ns3::TcpSocketBase::Timestamp": "false",
    "ns3::TcpSocketBase::MinRto": "200ms",
    "ns3::TcpSocket::DelAckCount": "1",
}
"""SACK, no timestamps, least retransmission timeout 200 ms, an ACK per segment."""


def loss_percent(result: dict[str, Any]) -> float:
    """What the bottleneck dropped of the long-lived TCP flows' packets, in percent of those that arrived there."""
    return metrics.loss_percent([flow for flow in result["flows"] if flow["kind"] == "tcp"])
