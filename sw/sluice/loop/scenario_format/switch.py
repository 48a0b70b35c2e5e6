# SPDX-License-Identifier: Apache-2.0
"""How a port of a switch is set, which a scenario may take from the switch's own configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sluice.loop.scenario_format.values import Dscp, Part


class SwitchPort(Part):
    """A port as a switch under SONiC has it, and which packets have which colour there."""

    file: Annotated[str, Field(min_length=1)]
    """The switch's config_db.json; a path from the scenario's folder."""
    port: Annotated[str, Field(min_length=1)]
    """Whose queues the tile's are, `Ethernet0`."""
    yellow: list[Dscp] = Field(default=[])
    """DSCPs of yellow packets; all that are in neither list are green."""
    red: list[Dscp] = Field(default=[])
    """DSCPs of red packets."""

    def text(self) -> str:
        """What stands in the file."""
        return Path(self.file).read_text()

    @model_validator(mode="after")
    def _have_one_colour(self) -> SwitchPort:
        if both := sorted({*self.yellow} & {*self.red}):
            raise PydanticCustomError("colours", "DSCP {dscp} cannot be yellow and red", {"dscp": both[0]})
        return self
