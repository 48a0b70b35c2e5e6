#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Called by FuseSoC with a file of settings: leaves in this folder a core with the SystemVerilog of the configuration, datapath or
# counter that the parameter `config` names, and with what Verilator's lint may say about it.
set -eu
setting() { sed -n "s/^ *$1: *//p" "$settings"; }
settings=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
config=$(setting config)
name=$(echo "$config" | tr - _)

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$root" build/rtl/catalog.json >&2
folder=$root/build/rtl/$config
for module in "sluice_tile_$name" "sluice_$name"; do
    [ ! -f "$folder/$module.sv" ] || break
done
cp "$folder/$module.sv" "$root/rtl/lint/waivers.vlt" .
cat >"$module.core" <<END
CAPI=2:
name: $(setting vlnv)
filesets:
  rtl:
    files: [$module.sv: {file_type: systemVerilogSource}]
  waivers:
    files: [waivers.vlt: {file_type: vlt}]
targets:
  default: {filesets: [rtl, waivers]}
END
