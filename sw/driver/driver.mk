# SPDX-License-Identifier: Apache-2.0
#
# build/driver/libsluice.so and libsluice.a: the driver of sw/driver, as C11 that no compiler warns of; and for its tests, by each
# compiler as C11 or C++, build/driver/COMPILER/driver-shell, and build/driver/queues-shell, which has
# a Verilated tile behind it. What GCC makes for tests watches its own memory and arithmetic.

DRIVER_SOURCES  := $(wildcard sw/driver/*.c)
DRIVER_HEADERS  := $(wildcard sw/driver/*.h) build/rtl/sluice_registers.h sw/driver/driver.mk
DRIVER_WARNINGS := -Wall -Wextra -Wpedantic -Werror -Isw/driver -Ibuild/rtl
DRIVER_CFLAGS   := -std=c11 -O2 -fPIC $(DRIVER_WARNINGS)

build/driver/%.o: sw/driver/%.c $(DRIVER_HEADERS)
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CC) $(DRIVER_CFLAGS) -c -o $@ $<

build/driver/libsluice.a: $(DRIVER_SOURCES:sw/driver/%.c=build/driver/%.o)
	@$(AR) rcs $@ $^

build/driver/libsluice.so: $(DRIVER_SOURCES:sw/driver/%.c=build/driver/%.o)
	@$(CC) -shared -o $@ $^

build/driver/g% build/driver/queues-shell: SANITIZER = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1

build/driver/%/driver-shell: $(DRIVER_SOURCES) sw/driver/tests/driver-shell.c $(DRIVER_HEADERS) \
  build/rtl/red-64/sluice_red_64_registers.h build/rtl/red-512/sluice_red_512_registers.h
	@mkdir -p $(@D)
	@$* $(if $(findstring ++,$*),-x c++ -std=c++17,-std=c11) -O1 $(SANITIZER) $(DRIVER_WARNINGS) -o $@ $(filter %.c,$^)

build/driver/tile-behind.o: sw/driver/tests/tile-behind.cc sw/driver/tests/tile-behind.h sim/model/load-tile.h sim/model/sluice-tile.h
	@mkdir -p $(@D)
	@$(CXX) -std=c++17 -O1 -Wall -Wextra -Werror -Isim/model -c -o $@ $<

build/driver/queues-shell: sw/driver/tests/queues-shell.c build/driver/tile-behind.o $(DRIVER_SOURCES) $(DRIVER_HEADERS) \
  sw/driver/tests/tile-behind.h build/rtl/droptail-1k/sluice_droptail_1k_registers.h
	@gcc -std=c11 -O1 $(SANITIZER) $(DRIVER_WARNINGS) -o $@ $(filter %.c %.o,$^) -lstdc++ -ldl
