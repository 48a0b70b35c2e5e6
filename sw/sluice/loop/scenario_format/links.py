# SPDX-License-Identifier: Apache-2.0
"""The network of a scenario: its bottlenecks, and the links of its hosts."""

from __future__ import annotations

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sluice.loop.scenario_format.values import Count, NotNegative, Part, Positive


class RateStep(Part):
    """A change of a link's rate."""

    at_s: NotNegative
    """Simulated time of the change."""
    rate_mbps: Positive
    """Rate from then on: both ways, or there alone where the hop has a `back`."""


class Back(Part):
    """The way back over a bottleneck, with a FIFO before it."""

    rate_mbps: Positive
    """Its rate."""
    limit: Count
    """Its buffer, packets."""


class Hop(Part):
    """A bottleneck: a link with the AQM before it."""

    rate_mbps: Positive
    """Rate at the start, both ways."""
    delay_ms: NotNegative
    """Propagation delay, one way."""
    steps: list[RateStep] = Field(default=[])
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


class Access(Part):
    """The links of the hosts; each flow has a host of its own at both ends."""

    rate_mbps: Positive
    """Rate of each."""
    delay_ms: NotNegative
    """Propagation delay of each, one way: the shortest round trip is 2 (access + hops + access)."""
