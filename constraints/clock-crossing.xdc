# SPDX-License-Identifier: Apache-2.0
#
# Every path of sluice_clock_crossing between its clocks, to be read for each instance of it:
#
#   read_xdc -ref sluice_clock_crossing constraints/clock-crossing.xdc
#
# Assumes that the shell makes the three clocks, in no relation to each other, and that none is faster than 250 MHz: no path takes
# longer than 4 ns, one cycle of the fastest; with a faster clock write its period instead. A word stands still from before its
# toggle leaves until the toggle has come back, and is taken two cycles after it arrived: so delay matters, and skew does not. No
# clock groups or false paths may be set between these clocks, as they would come before these delays. Never tried with Vivado.
# nextpnr times no paths between clocks, so ECP5 needs nothing of the kind.

# words
set_max_delay -datapath_only -from [get_cells {*/pushArea_data*_reg[*]}] -to [get_cells {*/popArea_stream_rData*_reg[*]}] 4.000

# toggles, to the first register of their synchronizers
set_max_delay -datapath_only -from [get_cells */pushArea_target_reg] -to [get_cells */pushArea_target*/buffers_0_reg] 4.000
set_max_delay -datapath_only -from [get_cells */popArea_hit_reg] -to [get_cells */outHitSignal*/buffers_0_reg] 4.000
