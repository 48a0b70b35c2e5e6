# SPDX-License-Identifier: Apache-2.0
#
# build/live/sluice-live: the process behind `sluice live`.

LIVE         := build/live/sluice-live
LIVE_SOURCES := $(wildcard sim/live/*.cc sim/live/*/*.cc)
LIVE_OBJECTS := $(LIVE_SOURCES:sim/live/%.cc=build/live/%.o)

# What every register map has at the same address stands in each one's header.
LIVE_CXXFLAGS = -std=c++20 -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror -MMD -MP -Isim/live -Isim/model -include build/rtl/droptail/sluice_droptail_registers.h

$(LIVE): $(LIVE_OBJECTS)
	@$(CXX) -o $@ $^ -ldl -pthread

build/live/%.o: sim/live/%.cc sim/live/live.mk $(CATALOG)
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CXX) $(LIVE_CXXFLAGS) -c -o $@ $<

-include $(LIVE_OBJECTS:.o=.d)
