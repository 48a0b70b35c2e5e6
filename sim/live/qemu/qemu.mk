# SPDX-License-Identifier: Apache-2.0
#
# build/qemu/initramfs: all files of a machine in QEMU, whose only program is that of docs/driver.md, linked whole.

QEMU   := qemu-system-x86_64
KERNEL ?= $(lastword $(sort $(wildcard /boot/vmlinuz-*)))

QEMU_LACKS = $(if $(shell command -v $(QEMU)),$(if $(wildcard $(KERNEL)),,no kernel here; name one: make demo-qemu KERNEL=FILE),no $(QEMU) \
  here; on Debian: apt-get install qemu-system-x86)

build/qemu/program.c: docs/driver.md
	@mkdir -p $(@D)
	@sed -n '/^```c$$/,/^```$$/{//!p}' $< >$@

build/qemu/program: build/qemu/program.c build/driver/libsluice.a build/rtl/red-512/sluice_red_512_registers.h
	@$(CC) -static $(DRIVER_CFLAGS) -o $@ $(filter %.c %.a,$^)

build/qemu/init: sim/live/qemu/init.c
	@mkdir -p $(@D)
	@$(CC) -static -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Werror -o $@ $<

build/qemu/initramfs: sim/live/qemu/initramfs.py build/qemu/init build/qemu/program | $(VENV)
	@$(BIN)/python $< $@ init=build/qemu/init program=build/qemu/program
