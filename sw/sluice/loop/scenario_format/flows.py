# SPDX-License-Identifier: Apache-2.0
"""Who sends: groups of like flows, a class for each kind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sluice.loop.scenario_format.values import (
    Count,
    Dscp,
    HopIndex,
    Name,
    NotNegative,
    Ns3Object,
    Number,
    PacketBytes,
    Part,
    Ports,
    Positive,
    QueueIndex,
    Rtt,
    Shape,
    Window,
)


class FlowGroup(Part):
    """What all kinds of flows have in common."""

    name: Name = ""
    """Name of the group; its flows are name-1, name-2, ... Without one it is the kind."""
    count: Count = 1
    """Flows of this kind."""
    start_s: NotNegative = 0
    """Time of the start."""
    start_spread_s: NotNegative = 0
    """Each flow starts a random part of this later; the seed decides."""
    stop_s: NotNegative | None = None
    """Time of the end; the end of the run otherwise."""
    source_delay_ms: NotNegative | None = None
    """Delay of the source's link, one way, instead of the access's."""
    sink_delay_ms: NotNegative | None = None
    """Delay of the sink's link, one way, instead of the access's."""
    access_mbps: Positive | None = None
    """Rate of both hosts' links instead of the access's."""
    packet_bytes: PacketBytes | None = None
    """Size of a full IP packet instead of the scenario's."""
    from_hop: HopIndex = 0
    """First bottleneck crossed; 0 is the first of the chain."""
    subscriber: Name | None = None
    """Whose flows these are: all flows of one subscriber are one to the AQM, as what is in one tunnel. Without it each is on its
    own. Only the tiles know of it, not ns-3's own disciplines."""
    queue: QueueIndex | None = None
    """Number of the tile's queue that these flows' packets go to, where the arrival says it (`queue_by: port`); 0 without it, and
    one too high means the last. Only the tiles know of it."""
    dscp: Dscp | None = None
    """DSCP of what the sender sends, 0 without it; acknowledgements have 0. Only tiles with profiles for many queues, `wred-1k`,
    look at it: it says a packet's colour."""
    to_hop: HopIndex | None = None
    """Last bottleneck crossed; the last of the chain otherwise."""
    direction: Literal["forth", "back"] = "forth"
    """Which way the flow goes: `back` against the chain, so that only its acknowledgements meet the AQM."""

    @model_validator(mode="after")
    def _stops_after_the_start(self) -> FlowGroup:
        if self.stop_s is not None and self.stop_s <= self.start_s + self.start_spread_s:
            raise PydanticCustomError("stop_s", "stop_s must be more than start_s and start_spread_s together")
        return self


class _Tcp(FlowGroup):
    congestion: Ns3Object = "ns3::TcpNewReno"
    """Congestion control of ns-3 with its attributes, `ns3::TcpCubic`, `ns3::TcpAimd[A=1|B=0.9]`; scalable, with ECT(1):
    `ns3::TcpPragueLike`, `ns3::TcpDctcp[UseEct0=false]`."""
    ecn: Annotated[bool, Field(strict=True)] | None = None
    """Whether these flows negotiate ECN, instead of the scenario's word for all. DCTCP always does."""
    initial_window: Window | None = None
    """Segments that a connection may send before the first acknowledgement; ns-3's 10 otherwise."""
    rtt: Rtt | None = None
    """Where a tile has these flows' round-trip times from, instead of the scenario's."""


class Tcp(_Tcp):
    """One TCP connection that always has data."""

    kind: Literal["tcp"]
    """What the flows do."""


class TcpOnOff(_Tcp):
    """One TCP connection that always has data in bursts of random length, and nothing in the pauses; it begins with a burst."""

    kind: Literal["tcp_onoff"]
    """What the flows do."""
    burst_s: Positive
    """Mean length of a burst."""
    idle_s: Positive
    """Mean length of a pause."""
    shape: Shape = 1.5
    """Shape of both Pareto distributions."""


class Web(_Tcp):
    """TCP transfers of random size one after the other, each on a new connection, with pauses."""

    kind: Literal["web"]
    """What the flows do."""
    mean_bytes: Annotated[Number, Field(ge=1)]
    """Mean size of a transfer."""
    think_s: Positive
    """Mean pause, exponentially distributed."""
    shape: Shape = 1.2
    """Shape of the Pareto distribution of sizes."""


class Short(_Tcp):
    """TCP transfers that begin at random times, each on a new connection, whether earlier ones are done or not."""

    kind: Literal["short"]
    """What the flows do."""
    mean_bytes: Annotated[Number, Field(ge=1)]
    """Mean size of a transfer."""
    per_s: Positive
    """Mean number of transfers that begin in a second (a Poisson process)."""
    shape: Shape | None = None
    """Shape of the Pareto distribution of sizes; without it all are of one size."""


class Incast(_Tcp):
    """TCP transfers of one size that begin in all flows of the group at once, each on a new connection: many servers' answers."""

    kind: Literal["incast"]
    """What the flows do."""
    bytes: Count
    """Size of each transfer."""
    every_s: Positive
    """Time from one round to the next, whether the last one is done or not; the first is so long after the start."""


class _Udp(FlowGroup):
    ect: Literal[0, 1] | None = None
    """Sets ECT(0) or ECT(1) in each packet, and heeds no mark. Without it packets are not ECN-capable."""
    ports: Ports = 1
    """Source ports that each flow uses in turn, another one for each packet: to an AQM that tells flows by addresses and ports so
    many flows."""


class UdpCbr(_Udp):
    """UDP at a constant rate, whatever becomes of it."""

    kind: Literal["udp_cbr"]
    """What the flows do."""
    rate_mbps: Positive
    """Rate of each flow: IP packets times their size."""


class UdpOnOff(_Udp):
    """UDP in bursts of random length with random pauses, as ns-2's Pareto and exponential sources; it begins with a pause."""

    kind: Literal["udp_onoff"]
    """What the flows do."""
    rate_mbps: Positive
    """Rate in a burst: IP packets times their size."""
    burst_s: Positive
    """Mean length of a burst."""
    idle_s: Positive
    """Mean length of a pause."""
    shape: Shape | None = 1.5
    """Shape of both Pareto distributions; null for exponential ones."""


AnyFlowGroup = Annotated[Tcp | TcpOnOff | UdpCbr | UdpOnOff | Web | Short | Incast, Field(discriminator="kind")]
