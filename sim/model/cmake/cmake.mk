# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# A CMake package of Verilated tiles, below PREFIX; each run adds a configuration.

PREFIX ?= build/cmake

define install-tile
@mkdir -p $(PREFIX)/include/sluice $(PREFIX)/lib/cmake/sluice $(PREFIX)/lib/sluice/$(CONFIG)
@cp sim/model/sluice-tile.h sim/model/load-tile.h $(PREFIX)/include/sluice
@cp sim/model/cmake/sluiceConfig.cmake $(PREFIX)/lib/cmake/sluice
@sed "s/@VERSION@/$$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' build/rtl/$(CONFIG)/registers.json | head -1)/" \
  sim/model/cmake/sluiceConfigVersion.cmake >$(PREFIX)/lib/cmake/sluice/sluiceConfigVersion.cmake
@cp $< $(PREFIX)/lib/sluice/$(CONFIG)
endef
