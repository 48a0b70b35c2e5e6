# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# build/model/<datapath>/libsluice_datapath.so: the Verilated datapath behind sluice-datapath.h, for `sluice replay`.

DATAPATH_SOURCES  := sim/model/verilated-datapath.cc sim/model/axi-lite-host.h sim/model/sluice-datapath.h
VERILATE_DATAPATH := --cc --build --prefix VDatapath -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint \
                     --quiet --output-split 0 -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include -CFLAGS "-O2 -fPIC -fvisibility=hidden -std=c++20"

.SECONDEXPANSION:
build/model/%/libsluice_datapath.so: build/rtl/$$*/sluice_$$(subst -,_,$$*).sv build/rtl/$$*/sluice_$$(subst -,_,$$*)_registers.h \
    $(DATAPATH_SOURCES) sim/model/datapath.mk
	@rm -rf $(@D)/obj # what a build that failed has left would pass for whole
	@mkdir -p $(@D)
	@echo "verilating $*"
	+@$(VERILATOR) $(VERILATE_DATAPATH) --Mdir $(@D)/obj -top-module sluice_$(subst -,_,$*) $< >/dev/null
	@$(CXX) -O2 -fPIC -fvisibility=hidden -std=c++20 -shared -Wl,--exclude-libs,ALL \
	    -include build/rtl/$*/sluice_$(subst -,_,$*)_registers.h -DSLUICE_MAP=sluice_$(subst -,_,$*)_map \
	    -I$(@D)/obj -Isim/model -isystem $(dir $(VERILATOR))../include -isystem $(dir $(VERILATOR))../include/vltstd \
	    -o $@ sim/model/verilated-datapath.cc $(@D)/obj/libVDatapath.a $(@D)/obj/libverilated.a -lpthread
	@sha256sum $(filter build/rtl/%,$^) >$@.rtl
