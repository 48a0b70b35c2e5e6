# SPDX-License-Identifier: Apache-2.0
"""What may stand in a scenario file. Declared here once: the checks, the JSON schema and the page follow from it.

The docstring under a key is what editors and docs/scenarios.md show.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[_Number, Field(gt=0)]
NotNegative = Annotated[_Number, Field(ge=0)]
Count = Annotated[int, Field(strict=True, ge=1)]
Window = Annotated[int, Field(strict=True, ge=1, le=1000)]
HopIndex = Annotated[int, Field(strict=True, ge=0)]
Ports = Annotated[int, Field(strict=True, ge=1, le=16382)]
PacketBytes = Annotated[int, Field(strict=True, ge=64, le=65000)]
Shape = Annotated[_Number, Field(gt=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Ns3Object = Annotated[str, Field(pattern=r"^ns3::\w+(\[.*\])?$")]
Ns3Attribute = Annotated[str, Field(pattern=r"^ns3::\w+::\w+$")]


def _flag_as_number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _whole_if_whole(value: float) -> float:
    return int(value) if value.is_integer() else value


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


Setting = Annotated[
    _Number,
    BeforeValidator(_flag_as_number),
    AfterValidator(_whole_if_whole),
    WithJsonSchema({"type": ["number", "boolean"]}),
]
"""A parameter's value; whole numbers stay whole, switches may be true and false."""

Ns3Value = Annotated[
    str, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "number", "boolean"], "minLength": 1})
]
"""A value as ns-3 takes it, which is text."""

Settings = dict[str, dict[str, Setting]]

Rtt = Literal["embedded", "idmaps", "unknown"]
"""Where a tile that asks for round-trip times has a flow's from."""

_STRICT = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class _Part(BaseModel):
    model_config = ConfigDict(**_STRICT, frozen=True)


class RateStep(_Part):
    """A change of a link's rate."""

    at_s: NotNegative
    """Simulated time of the change."""
    rate_mbps: Positive
    """Rate from then on: both ways, or there alone where the hop has a `back`."""


class Back(_Part):
    """The way back over a bottleneck, with a FIFO before it."""

    rate_mbps: Positive
    """Its rate."""
    limit: Count
    """Its buffer, packets."""


class Hop(_Part):
    """A bottleneck: a link with the AQM before it."""

    rate_mbps: Positive
    """Rate at the start, both ways."""
    delay_ms: NotNegative
    """Propagation delay, one way."""
    steps: list[RateStep] = []
    """Changes of the rate, in order of time."""
    repeat_s: Positive | None = None
    """The steps come again so much later, and again, until the end. Without it they come once."""
    back: Back | None = None
    """The way back, if it is another link: its rate and its buffer. Without it that is as fast, and never full."""

    @model_validator(mode="after")
    def _in_order(self) -> Hop:
        times = [step.at_s for step in self.steps]
        if times != sorted(times):
            raise PydanticCustomError("steps", "steps must be in order of time")
        if self.repeat_s is not None and not (times and times[-1] - times[0] < self.repeat_s):
            raise PydanticCustomError("repeat_s", "repeat_s needs steps that are done within it")
        return self

    def steps_until(self, end_s: float) -> list[RateStep]:
        """All changes of the rate before a time, those that come again too."""
        found, later_s = list(self.steps), self.repeat_s
        while later_s and found[-1].at_s < end_s:
            found += [
                step.model_copy(update={"at_s": round(step.at_s + later_s, 9)}) for step in found[-len(self.steps) :]
            ]
        return [step for step in found if step.at_s < end_s]

    def mean_rate_mbps(self, begin_s: float, end_s: float) -> float:
        """The mean rate of a time, by the parts of it before and after each step."""
        steps = self.steps_until(end_s)
        bounds = [begin_s, *(min(max(step.at_s, begin_s), end_s) for step in steps), end_s]
        rates = [self.rate_mbps, *(step.rate_mbps for step in steps)]
        parts = zip(bounds, bounds[1:], rates, strict=False)
        return sum((end - begin) * rate for begin, end, rate in parts) / (end_s - begin_s)


class Access(_Part):
    """The links of the hosts; each flow has a host of its own at both ends."""

    rate_mbps: Positive
    """Rate of each."""
    delay_ms: NotNegative
    """Propagation delay of each, one way: the shortest round trip is 2 (access + hops + access)."""


class FlowGroup(_Part):
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
    mean_bytes: Annotated[_Number, Field(ge=1)]
    """Mean size of a transfer."""
    think_s: Positive
    """Mean pause, exponentially distributed."""
    shape: Shape = 1.2
    """Shape of the Pareto distribution of sizes."""


class Short(_Tcp):
    """TCP transfers that begin at random times, each on a new connection, whether earlier ones are done or not."""

    kind: Literal["short"]
    """What the flows do."""
    mean_bytes: Annotated[_Number, Field(ge=1)]
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


@dataclass(config=_STRICT, kw_only=True, frozen=True)
class ScenarioFile:
    """A scenario: who sends how much over which links, and for how long. A dataclass, so that `replace` checks what it makes."""

    summary: Annotated[str, Field(min_length=1)]
    """One line for `sluice list` and above the tables."""
    duration_s: Annotated[_Number, Field(ge=0.001, le=1e6)]
    """Simulated time."""
    warmup_s: NotNegative
    """What happens before is not measured."""
    packet_bytes: PacketBytes
    """Size of a full IP packet, header included."""
    limit: Count
    """Buffer at each bottleneck, packets. A tile has room for 1,008."""
    ecn: bool = False
    """TCP negotiates ECN. Every AQM that can mark packets does, here and where any flow says `ecn: true`."""
    rtt: Rtt = "embedded"
    """Where a tile that asks for round-trip times has them from: `embedded` in the packet, the source's smoothed one; from an
    estimate as of `idmaps`, which is that times a random number of the flow's own between 1/2 and 2; or from nowhere: `unknown`.
    UDP has none."""
    sample_interval_s: Positive = 0.1
    """Time between two points of the plots."""
    hops: Annotated[list[Hop], Field(min_length=1)]
    """Chain of bottlenecks, in the direction of the flows. The tables are about the first."""
    access: Access
    """Links of sources and sinks."""
    flows: Annotated[list[AnyFlowGroup], Field(min_length=1)]
    """Groups of like flows."""
    tcp: Annotated[dict[Ns3Attribute, Ns3Value], Field(json_schema_extra={"additionalProperties": False})] = field(
        default_factory=dict
    )
    """Defaults of ns-3's attributes, `ns3::TcpSocketBase::MinRto: 200ms`; what is not named is as ns-3 has it."""
    settings: Settings = field(default_factory=dict)
    """Parameters by algorithm, in the words of the register maps and `weight`. Those under `all` go to every algorithm that
    has them. What the register maps say to follow from the keys above, such as `limit`, does so unless it is set here."""

    @model_validator(mode="after")
    def _measures_something(self) -> ScenarioFile:
        if self.warmup_s >= self.duration_s:
            raise PydanticCustomError("warmup_s", "warmup_s must be less than duration_s")
        if self.sample_interval_s > self.duration_s:
            raise PydanticCustomError("sample_interval_s", "sample_interval_s must be at most duration_s")
        return self

    @model_validator(mode="after")
    def _crosses_hops_that_are_there(self) -> ScenarioFile:
        last = len(self.hops) - 1
        for group in self.flows:
            to_hop = last if group.to_hop is None else group.to_hop
            if to_hop > last or group.from_hop > to_hop:
                there = {"name": group.name or group.kind, "last": last}
                says = "flows: '{name}' must cross hops from_hop <= to_hop, of which the last is {last}"
                raise PydanticCustomError("hops", says, there)
        return self

    @model_validator(mode="after")
    def _names_each_group(self) -> ScenarioFile:
        [(name, often)] = Counter(group.name or group.kind for group in self.flows).most_common(1)
        if often > 1:
            says = "flows: {often} groups are called '{name}'; give each a name of its own"
            raise PydanticCustomError("names", says, {"often": often, "name": name})
        return self
