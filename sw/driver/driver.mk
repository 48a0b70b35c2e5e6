# SPDX-License-Identifier: Apache-2.0
#
# build/driver/libsluice.so and libsluice.a: the driver of sw/driver, as C11 that no compiler warns of.

DRIVER_SOURCES := $(wildcard sw/driver/*.c)
DRIVER_CFLAGS   = -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -fPIC -Isw/driver -Ibuild/rtl

build/driver/%.o: sw/driver/%.c $(wildcard sw/driver/*.h) build/rtl/sluice_registers.h sw/driver/driver.mk
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CC) $(DRIVER_CFLAGS) -c -o $@ $<

build/driver/libsluice.a: $(DRIVER_SOURCES:sw/driver/%.c=build/driver/%.o)
	@$(AR) rcs $@ $^

build/driver/libsluice.so: $(DRIVER_SOURCES:sw/driver/%.c=build/driver/%.o)
	@$(CC) -shared -o $@ $^
