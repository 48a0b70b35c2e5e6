# SPDX-License-Identifier: Apache-2.0
#
# build/live/sluice-live: the process behind `sluice live`; and, watching its own memory and arithmetic, a server of registers alone
# for the tests, build/sanitize/live/registers-host.

LIVE         := build/live/sluice-live
LIVE_SOURCES := $(wildcard sim/live/*.cc $(addprefix sim/live/,control/*.cc net/*.cc path/*.cc run/*.cc))
LIVE_OBJECTS := $(LIVE_SOURCES:sim/live/%.cc=build/live/%.o)

REGISTERS_HOST := $(patsubst sim/live/%.cc,build/sanitize/live/%.o,$(wildcard sim/live/control/*.cc) sim/live/tests/registers-host.cc)

LIVE_CXXFLAGS = -std=c++20 -O2 $(SANITIZER) -Wall -Wextra -Wno-missing-field-initializers -Werror -MMD -MP -Isim/live -Isim/model -Ibuild/rtl

build/sanitize/live/%: SANITIZER = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1

define compile-live
@mkdir -p $(@D)
@$(OBJCACHE) $(CXX) $(LIVE_CXXFLAGS) -c -o $@ $<
endef

$(LIVE): $(LIVE_OBJECTS)
	@$(CXX) -o $@ $^ -ldl -pthread

build/live/%.o: sim/live/%.cc sim/live/live.mk $(CATALOG)
	$(compile-live)

build/sanitize/live/registers-host: $(REGISTERS_HOST)
	@$(CXX) $(SANITIZER) -o $@ $^ -ldl -pthread

build/sanitize/live/%.o: sim/live/%.cc sim/live/live.mk $(CATALOG)
	$(compile-live)

-include $(LIVE_OBJECTS:.o=.d) $(REGISTERS_HOST:.o=.d)
