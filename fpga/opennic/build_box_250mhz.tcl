# SPDX-License-Identifier: Apache-2.0
#
# Sourced by OpenNIC's build in this folder, given as `-user_plugin`: reads the wrapper that `make rtl` has written, or that a
# release has.
read_verilog -quiet -sv [glob {../../{build/,}rtl/opennic-tx-red/sluice_opennic_tx_red.sv}]
