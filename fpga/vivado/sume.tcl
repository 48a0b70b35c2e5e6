# Never run in Vivado. Checked with its commands stubbed: syntax, files, ports.
# SPDX-License-Identifier: Apache-2.0
#
# A project for NetFPGA SUME: the datapath of RED, 256 bits at 200 MHz as in the board's reference projects, fed by a source of
# frames on the chip. The bitstream is build/vivado/sume/sume.runs/impl_1/sume_top.bit.
#
#   vivado -mode batch -source fpga/vivado/sume.tcl
set root [file normalize [file join [file dirname [info script]] .. ..]]

create_project -force -part xc7vx690tffg1761-3 sume [file join $root build vivado sume]
add_files -norecurse [list \
  [file join $root fpga vivado sume_top.sv] \
  [file join $root build rtl red-256 sluice_red_256.sv] \
]
add_files -fileset constrs_1 -norecurse [file join $root constraints netfpga-sume.xdc]
set_property top sume_top [current_fileset]

launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
open_run impl_1
report_utilization -file [file join $root build vivado sume utilization.rpt]
report_timing_summary -file [file join $root build vivado sume timing.rpt]
