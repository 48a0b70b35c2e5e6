# SPDX-License-Identifier: Apache-2.0
"""What a module is given and what it must answer, clock by clock, as arrays and as a file.

The conformance suite leaves one such file per configuration, `build/conformance/<config>/traffic.npz`, written by `numpy.savez`:

- `in:<port>`: one value per clock for each input of the module but `clk`; unsigned, of the narrowest type that holds the port.
- `out:<port>`: one value per clock for each output, as the golden model has it.
- `mask:<port>`: one bool per clock for each output: whether it is compared there. Elsewhere the value means nothing.

A row is a clock. Its inputs stand through it, its outputs are read just before the edge that ends it. The first rows hold `rst`
high, so that a simulation begins with row 0 whatever its registers hold. A design differs from the model if in any row an output
whose mask is set has another value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sluice.faults.mutants import recording

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first clock in which an output is not the model's."""

    row: int
    port: str
    seen: int
    expected: int


class Recording(recording.Recording):
    """A stimulus and the model's answer; `outputs` and `masks` have the same ports."""

    def first_mismatch(self, seen: Mapping[str, np.ndarray]) -> Mismatch | None:
        """Over all outputs; of one clock the first in the order of the ports."""
        found = None
        for port, expected in self.outputs.items():
            wrong = np.flatnonzero(self.masks[port] & (seen[port] != expected))
            if wrong.size and (found is None or wrong[0] < found.row):
                row = int(wrong[0])
                found = Mismatch(row, port, int(seen[port][row]), int(expected[row]))
        return found

    def until(self, rows: int) -> Recording:
        """Its first rows."""
        parts = (self.inputs, self.outputs, self.masks)
        return Recording(*({port: column[:rows] for port, column in ports.items()} for ports in parts))
