# SPDX-License-Identifier: Apache-2.0
#
# build/simbricks/sluice-simbricks: a Verilated datapath as a network component of SimBricks.

SIMBRICKS         := build/simbricks/sluice-simbricks
SIMBRICKS_OBJECTS := $(patsubst sim/simbricks/%.cc,build/simbricks/%.o,$(wildcard sim/simbricks/*.cc))

build/simbricks/%.o: sim/simbricks/%.cc sim/simbricks/simbricks.mk $(CATALOG)
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CXX) $(LIVE_CXXFLAGS) -c -o $@ $<

$(SIMBRICKS): $(SIMBRICKS_OBJECTS) build/live/path/model.o
	@$(CXX) -o $@ $^ -ldl -pthread

-include $(SIMBRICKS_OBJECTS:.o=.d)
