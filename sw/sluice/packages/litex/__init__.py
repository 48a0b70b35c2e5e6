# SPDX-License-Identifier: Apache-2.0
"""The datapath in a LiteX design: streams as LiteEth has them, registers on the design's bus under their own names"""

from __future__ import annotations

from sluice.packages.litex.datapath import SluiceDatapath

__all__ = ["SluiceDatapath"]
