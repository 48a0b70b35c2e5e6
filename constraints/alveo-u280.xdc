# SPDX-License-Identifier: Apache-2.0
#
# Alveo U280 (xcu280-fsvh2892-2L-e): a tile, datapath or counter of flows out of context, at the 250 MHz of the
# shells' core clock (OpenNIC's box_250mhz, Corundum's clk). Assumes that all its ports are of that clock and meet registers in
# the shell, so paths from and to them are not timed here; in the shell its own constraints time them, and this file is left out.
# Never tried with Vivado.
create_clock -name clk -period 4.000 [get_ports clk]
