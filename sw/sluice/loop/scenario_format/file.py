# SPDX-License-Identifier: Apache-2.0
"""A scenario as a whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Annotated

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from sluice.loop.scenario_format.flows import AnyFlowGroup
from sluice.loop.scenario_format.links import Access, Hop
from sluice.loop.scenario_format.switch import SwitchPort
from sluice.loop.scenario_format.values import (
    STRICT,
    Count,
    NotNegative,
    Ns3Attribute,
    Ns3Value,
    Number,
    PacketBytes,
    Positive,
    Rtt,
    Settings,
)


@dataclass(config=STRICT, kw_only=True, frozen=True)
class ScenarioFile:
    """A scenario: who sends how much over which links, and for how long. A dataclass, so that `replace` checks what it makes."""

    summary: Annotated[str, Field(min_length=1)]
    """One line for `sluice list` and above the tables."""
    duration_s: Annotated[Number, Field(ge=0.001, le=1e6)]
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
    switch: SwitchPort | None = None
    """How the queues of a tile are set: as those of a port of a switch under SONiC are, after all other settings. Only a tile
    with profiles for many queues, `wred-1k`, can be set so; all other AQMs are as without it."""
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
