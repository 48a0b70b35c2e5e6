# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# How a Verilated module becomes a shared library. All that Verilator has written is compiled as one file with the code that
# drives it, so that headers are read once; what of it runs once, Verilator's "Slow", is not optimized, which would take
# longer than the rest. `-O1` takes g++ three fifths of the time that `-O3` takes, and a tile runs 3 % longer
# (build/model/tile-bench). What all libraries have alike is compiled once. What lies in build/sanitize has a SANITIZER
# (sim/sanitize.mk).

MODEL_CXXFLAGS = -std=c++20 -O1 $(SANITIZER) -fPIC -fvisibility=hidden -Isim/model \
  -isystem $(dir $(VERILATOR))../include -isystem $(dir $(VERILATOR))../include/vltstd \
  -DVERILATOR=1 $(patsubst %,-DVM_%=0,COVERAGE SC TIMING TRACE TRACE_FST TRACE_SAIF)

define compile-shared
@mkdir -p $(@D)
@$(OBJCACHE) $(CXX) $(MODEL_CXXFLAGS) -c -o $@ $<
endef

MODEL_SHARED := $(patsubst %,build/model/shared/%.o,verilated verilated_threads code-placement)

build/model/shared/verilated.o build/model/shared/verilated_threads.o: requirements.lock sim/model/library.mk | $(VENV)
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CXX) $(MODEL_CXXFLAGS) -w -c -o $@ $(dir $(VERILATOR))../include/$(@F:.o=.cpp)

build/model/shared/code-placement.o: sim/model/code-placement.cc sim/model/code-placement.h sim/model/library.mk | $(VENV)
	$(compile-shared)

INCLUDE_EACH := printf '\#include "%s"\n'

# $(call library,DRIVER): the commands that make the library $@ of the configuration $* from the driver and $(@D)/obj, where
# Verilator has written.
define library
@cd $(@D)/obj && { $(INCLUDE_EACH) $(abspath $1) $$(ls *.cpp | grep -v Slow); echo '#pragma GCC optimize("O0")'; \
    $(INCLUDE_EACH) *Slow*.cpp; } >whole.cc
@$(OBJCACHE) $(CXX) $(MODEL_CXXFLAGS) -I$(@D)/obj -include build/rtl/$*/sluice_$(subst -,_,$*)_registers.h \
    -DSLUICE_MAP=sluice_$(subst -,_,$*)_map -Wno-attributes -c -o $(@D)/obj/whole.o $(@D)/obj/whole.cc
@$(CXX) -shared $(SANITIZER) -o $@ $(@D)/obj/whole.o $(filter %.o,$^) -lpthread
endef
