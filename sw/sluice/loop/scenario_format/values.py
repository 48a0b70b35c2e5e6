# SPDX-License-Identifier: Apache-2.0
"""What values in a scenario file may be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""No text, no switch, and finite."""

Positive = Annotated[Number, Field(gt=0)]
NotNegative = Annotated[Number, Field(ge=0)]
Count = Annotated[int, Field(strict=True, ge=1)]
Window = Annotated[int, Field(strict=True, ge=1, le=1000)]
HopIndex = Annotated[int, Field(strict=True, ge=0)]
QueueIndex = Annotated[int, Field(strict=True, ge=0, le=4095)]
Dscp = Annotated[int, Field(strict=True, ge=0, le=63)]
Ports = Annotated[int, Field(strict=True, ge=1, le=16382)]
PacketBytes = Annotated[int, Field(strict=True, ge=64, le=65000)]
Shape = Annotated[Number, Field(gt=1)]
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
    Number,
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

STRICT = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Part(BaseModel):
    """A part of a scenario: no key that is not declared, and nothing changes it later."""

    model_config = ConfigDict(**STRICT, frozen=True)
