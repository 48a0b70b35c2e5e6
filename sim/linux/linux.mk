# SPDX-License-Identifier: Apache-2.0
#
# What `sluice oracle` runs: inside a kernel in user mode build/linux/guest, around it build/linux/whole-registers.so, and beside it
# build/linux/tile-port.

build/linux/guest: sim/linux/guest.c sim/linux/linux.mk
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -o $@ $<

build/linux/whole-registers.so: sim/linux/whole-registers.c sim/linux/linux.mk
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 -fPIC -shared -Wall -Wextra -Wpedantic -Werror -o $@ $<

build/linux/tile-port: sim/linux/tile-port.cc sim/model/load-tile.h sim/model/sluice-tile.h sim/linux/linux.mk
	@mkdir -p $(@D)
	@$(OBJCACHE) $(CXX) -std=c++20 -O2 -Wall -Wextra -Werror -Isim/model -o $@ $< -ldl
