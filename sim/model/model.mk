# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# build/model/<config>/libsluice_tile.so: the Verilated tile of one configuration behind sluice-tile.h. Every library exports
# nothing but SluiceCreateTile, so that several can be loaded into one program.
#
# The tile has one clock and uses its rising edge only, so here every edge is one: half as many evaluations per clock, and
# the tile takes 15 % less time.
#
# The registers have a clock of their own here, which stands still unless they are being accessed: they are a third of the
# instructions of a clock. Nothing of them changes without an access, see tile/clocked-tile.h.
#
# What remains is some 1,600 instructions in a row. How fast they run depends on the pages of memory that they happen to lie in,
# so a library looks for good ones when it is loaded, see code-placement.h; `make bench` shows copies of one file side by side.
#
# Beside the library lies what it was made of (libsluice_tile.so.rtl), so that `sluice` refuses one of other RTL.

MODEL_SOURCES := $(wildcard sim/model/tile/*.h) \
  $(addprefix sim/model/,verilated-tile.cc axi-lite-host.h sluice-tile.h code-placement.h model.mk library.mk)
VERILATE := --cc --prefix VTile -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint --quiet --output-split 0

# What the generator has made of a tile.
TILE_FILES = build/rtl/$*/sluice_tile_$(subst -,_,$*).sv build/rtl/$*/sluice_$(subst -,_,$*)_registers.h

define make-tile
@rm -rf $(@D)/obj # what a build that failed has left would pass for whole
@mkdir -p $(@D)
@echo "verilating $*"
@sed -e 's/posedge clk/edge clk/' -e '/^module sluice_tile_$(subst -,_,$*) (/a input wire registers_clk,' \
    -e '/TileRegisters registers (/,/);/s/(clk /(registers_clk /' $< > $(@D)/$(<F)
@$(RUN_VERILATOR) $(VERILATE) --Mdir $(@D)/obj -top-module sluice_tile_$(subst -,_,$*) $(@D)/$(<F) >/dev/null
$(call library,sim/model/verilated-tile.cc)
@sha256sum $(filter build/rtl/%,$^) >$@.rtl
endef

.SECONDEXPANSION:
build/model/%/libsluice_tile.so: $$(TILE_FILES) $(MODEL_SOURCES) $(MODEL_SHARED)
	$(make-tile)
