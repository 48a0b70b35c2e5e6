# SPDX-License-Identifier: GPL-2.0-only
"""A parameter's value becomes the same register word in ns-3 as at the register driver of the host."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from sluice.hardware.registers import Field
from sluice.support.errors import UserError

FORMATS = [(1, 0), (8, 8), (16, 0), (18, 14), (31, 31), (32, 0), (32, 16), (32, 31)]
"""Bits and fraction bits, as registers have them."""


def words(width):
    """Some words at both ends, even and odd."""
    return {*range(min(4, 1 << width)), *range(max(0, (1 << width) - 4), 1 << width)}


@pytest.mark.parametrize(("width", "fraction"), FORMATS)
def test_between_two_words_is_the_upper_one(width, fraction, sluice_ns3):
    """Rounded to nearest, ties upwards: floor(value 2^fraction + 1/2), in exact arithmetic."""
    field = Field("it", 0, width, fraction, "")
    seen = 0
    for word in words(width):
        tie = (word + 0.5) / 2**fraction
        for value in (word / 2**fraction, math.nextafter(tie, 0), tie, math.nextafter(tie, math.inf)):
            expected = math.floor(Fraction(value) * 2**fraction + Fraction(1, 2))
            if expected < 1 << width:
                assert (field.raw(value), sluice_ns3.to_raw_parameter(width, fraction, value)) == (
                    expected,
                    expected,
                ), value
                seen += 1
    assert seen >= 4 * len(words(width)) - 2  # only the last tie, and what is above it, do not fit


@pytest.mark.parametrize(("width", "fraction"), FORMATS)
def test_what_does_not_fit_is_refused_by_both(width, fraction, sluice_ns3):
    field = Field("it", 0, width, fraction, "")
    for value in (((1 << width) - 0.5) / 2**fraction, 2.0**width, -(2.0**-60), -1):
        with pytest.raises(UserError, match="is outside"):
            field.raw(value)
        with pytest.raises(ValueError, match="is not within"):
            sluice_ns3.to_raw_parameter(width, fraction, value)
