# SPDX-License-Identifier: Apache-2.0
"""ns-3's TCP set as the papers' simulator has it."""

from __future__ import annotations

NS2_LIKE = {
    "ns3::TcpSocketBase::Sack": "true",
    "ns3::TcpSocketBase::Timestamp": "false",
    "ns3::TcpSocketBase::MinRto": "200ms",
    "ns3::TcpSocket::DelAckCount": "1",
}
"""SACK, no timestamps, least retransmission timeout 200 ms, an ACK per segment."""
