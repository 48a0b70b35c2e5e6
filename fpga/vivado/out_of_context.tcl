# Never run in Vivado. Checked with its commands stubbed: syntax, files, ports.
# SPDX-License-Identifier: Apache-2.0
#
# Area and timing of any configuration, datapath or counter alone, placed and routed out of context:
#
#   vivado -mode batch -source fpga/vivado/out_of_context.tcl -tclargs red xcu250-figd2104-2L-e constraints/alveo-u250.xdc
#   vivado -mode batch -source fpga/vivado/out_of_context.tcl -tclargs red-256 xc7vx690tffg1761-3 5.0
#
# The last argument is a file of constraints, or the period of `clk` in ns. Reports lie in build/vivado/<configuration>.
if {[llength $argv] != 3} {
  error "usage: -tclargs CONFIGURATION PART CONSTRAINTS|PERIOD_NS"
}
lassign $argv config part timing

set root [file normalize [file join [file dirname [info script]] .. ..]]
set name [string map {- _} $config]
set output [file join $root build vivado $config]
file mkdir $output

foreach top [list sluice_tile_$name sluice_$name] {
  set verilog [file join $root build rtl $config $top.sv]
  if {[file exists $verilog]} { break }
}
if {![file exists $verilog]} {
  error "there is no RTL of $config; `make rtl` generates it"
}

if {[string is double -strict $timing]} {
  set constraints [file join $output clock.xdc]
  set out [open $constraints w]
  puts $out "create_clock -name clk -period $timing \[get_ports clk\]"
  close $out
} else {
  set constraints [file join $root $timing]
}

read_verilog -sv $verilog
read_xdc -mode out_of_context $constraints
synth_design -top $top -part $part -mode out_of_context
report_utilization -file [file join $output synthesized.rpt]
opt_design
place_design
phys_opt_design
route_design
report_utilization -file [file join $output utilization.rpt]
report_timing_summary -file [file join $output timing.rpt]
write_checkpoint -force [file join $output routed.dcp]
