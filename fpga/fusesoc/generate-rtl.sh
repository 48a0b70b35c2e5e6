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

# All of them where all have been generated before, so that none is old; in a fresh clone that one alone.
if [ -f "$root/build/rtl/catalog.json" ]; then goal=build/rtl/catalog.json; else goal="rtl CONFIG=$config"; fi
# shellcheck disable=SC2086  # a list of words
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$root" $goal >&2
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
