# SPDX-License-Identifier: Apache-2.0
#
# Vivado's commands, as far as the scripts and constraints of this project use them: each is printed with its arguments, files
# must be there, and ports and cells must be among those in the environment. Any other command is an error of Tcl.
proc say args { puts $args }
proc needs files { foreach file $files { if {![file exists $file]} { error "there is no $file" } } }

foreach command {
  synth_design opt_design place_design phys_opt_design route_design report_utilization report_timing_summary write_checkpoint
  create_project launch_runs wait_on_run open_run create_clock set_false_path set_max_delay set_bus_skew set_property
} {
  proc $command args "say $command {*}\$args; return"
}
proc current_design {} { return design }
proc current_fileset {} { return sources_1 }
proc read_verilog args { say read_verilog {*}$args; needs [lindex $args end] }
proc read_xdc args { say read_xdc {*}$args; needs [lindex $args end]; uplevel #0 [list source [lindex $args end]] }
proc add_files args {
  say add_files {*}$args
  needs [lindex $args end]
  foreach file [lindex $args end] { if {[string match *.xdc $file]} { uplevel #0 [list source $file] } }
}
proc get_cells pattern {
  set pattern [string map {[* \\[* ] \\]} $pattern]
  foreach cell [split $::env(CELLS)] {
    if {[string match $pattern $cell]} { lappend found $cell }
  }
  if {![info exists found]} { error "no cell is $pattern" }
  return $found
}
proc get_ports pattern {
  set pattern [string map {[ \\[ ] \\]} $pattern] ;# a bit, not a set of letters
  foreach port [split $::env(PORTS)] {
    if {[string match $pattern $port]} { lappend found $port }
  }
  if {![info exists found]} { error "no port is $pattern" }
  return $found
}

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
