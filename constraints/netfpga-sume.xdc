# SPDX-License-Identifier: Apache-2.0
#
# NetFPGA SUME (xc7vx690tffg1761-3), the ports of fpga/vivado/sume_top.sv: the board's 200 MHz oscillator, also the clock of the
# datapath, a button as reset, two LEDs. The pins are those of Corundum's design for this board; never tried on one, nor with
# Vivado. Button and LEDs belong to no clock: what they meet in the design is made for it, or for eyes.
set_property CFGBVS GND [current_design]
set_property CONFIG_VOLTAGE 1.8 [current_design]

set_property -dict {LOC H19 IOSTANDARD LVDS} [get_ports sysclk_p]
set_property -dict {LOC G18 IOSTANDARD LVDS} [get_ports sysclk_n]
create_clock -name sysclk -period 5.000 [get_ports sysclk_p]

set_property -dict {LOC AR13 IOSTANDARD LVCMOS15} [get_ports button]
set_false_path -from [get_ports button]

set_property -dict {LOC AR22 IOSTANDARD LVCMOS15} [get_ports {led[0]}]
set_property -dict {LOC AR23 IOSTANDARD LVCMOS15} [get_ports {led[1]}]
set_false_path -to [get_ports {led[*]}]
