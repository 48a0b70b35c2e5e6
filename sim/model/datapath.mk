# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# build/model/<datapath>/libsluice_datapath.so: the Verilated datapath behind sluice-datapath.h, for `sluice replay` and `sluice live`.
#
# Its parts have clocks of their own there (rooms.py), which stand still while nothing moves in them: datapath/rooms.h.

DATAPATH_SOURCES := $(wildcard sim/model/datapath/*.h) \
  $(addprefix sim/model/,verilated-datapath.cc axi-lite-host.h sluice-datapath.h rooms.py datapath.mk library.mk)
VERILATE_DATAPATH := $(VERILATE:VTile=VDatapath)

# What the generator has made of a datapath.
DATAPATH_FILES = build/rtl/$*/sluice_$(subst -,_,$*).sv build/rtl/$*/sluice_$(subst -,_,$*)_registers.h

define make-datapath
@rm -rf $(@D)/obj # what a build that failed has left would pass for whole
@mkdir -p $(@D)
@echo "verilating $*"
@$(BIN)/python sim/model/rooms.py $< sluice_$(subst -,_,$*) $(@D)/$(<F) $(@D)/VRooms.h
@$(RUN_VERILATOR) $(VERILATE_DATAPATH) --Mdir $(@D)/obj -top-module sluice_$(subst -,_,$*) $(@D)/$(<F) >/dev/null
@mv $(@D)/VRooms.h $(@D)/obj
$(call library,sim/model/verilated-datapath.cc)
@sha256sum $(filter build/rtl/%,$^) >$@.rtl
endef

.SECONDEXPANSION:
build/model/%/libsluice_datapath.so: $$(DATAPATH_FILES) $(DATAPATH_SOURCES) $(MODEL_SHARED)
	$(make-datapath)
