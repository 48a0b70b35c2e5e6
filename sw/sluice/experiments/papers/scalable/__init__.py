# SPDX-License-Identifier: Apache-2.0
"""Scalable senders, whose rate goes with 1 / p of the marks, and what marks for them."""

from __future__ import annotations

PRAGUE = "ns3::TcpPragueLike"
"""The scalable sender of this project, paced, with ECT(1)."""

DCTCP = "ns3::TcpDctcp[UseEct0=false]"
"""ns-3's own, with ECT(1)."""
