# SPDX-License-Identifier: Apache-2.0
#
# build/live/control.a: the server of registers over a socket; and the program that its tests serve registers with. What lies in
# build/sanitize/live watches its own memory and arithmetic.

CONTROL_SOURCES  := $(wildcard sim/live/control-*.cc)
CONTROL_HEADERS  := $(wildcard sim/live/*.h)
CONTROL_CXXFLAGS  = -std=c++20 -O2 $(SANITIZER) -Wall -Wextra -Wpedantic -Werror -Isim/live -Isim/model -Ibuild/rtl

build/sanitize/live/%: SANITIZER = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1

build/live/control.a: $(CONTROL_SOURCES:sim/live/%.cc=build/live/%.o)
build/sanitize/live/control.a: $(CONTROL_SOURCES:sim/live/%.cc=build/sanitize/live/%.o)

build/%/control.a:
	@$(AR) rcs $@ $^

define compile-control
@mkdir -p $(@D)
@$(OBJCACHE) $(CXX) $(CONTROL_CXXFLAGS) -c -o $@ $<
endef

build/live/control-%.o: sim/live/control-%.cc $(CONTROL_HEADERS) build/rtl/sluice_registers.h sim/live/control.mk
	$(compile-control)

build/sanitize/live/control-%.o: sim/live/control-%.cc $(CONTROL_HEADERS) build/rtl/sluice_registers.h sim/live/control.mk
	$(compile-control)

%/live/registers-host: sim/live/tests/registers-host.cc %/live/control.a
	@$(CXX) $(CONTROL_CXXFLAGS) -o $@ $^ -ldl -pthread
