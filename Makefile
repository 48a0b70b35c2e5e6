# SPDX-License-Identifier: Apache-2.0
#
# The verbs of the project. Each is one call of one tool; build.mk says how files come into being, and a
# second run rebuilds only what changed. Everything generated lies in build/ and .venv/.

CONFIG ?= red
TARGET ?= ecp5
BOARD  ?= lattice-versa-ecp5
N      ?= 200
SEED   ?= 1
ARGS   ?=

.DEFAULT_GOAL := help
MAKEFLAGS     += --jobs=$(shell nproc)
.PHONY: help run check test rtl lint fmt synth bitstream mutants evidence sanitize bench oracle-linux demo-qemu docs site cmake driver release library wheels version clean

include build.mk

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: $(RUN_MODELS) $(NS3) ## Run the main experiment and write build/report/index.html
	@$(SLUICE) compare $(ARGS)

check: build/rtl/$(CONFIG)/catalog.json ## All tests of one core, without the rest: make check CONFIG=red
	@$(BIN)/pytest $(CORE_TESTS) --core $(CONFIG) $(ARGS)

test: $(CATALOG) $(if $(ARGS),,$(MODELS) $(DATAPATHS) $(NS3)) ## Run every test, or make test ARGS="-k red", which builds what these need
	@$(BIN)/pytest $(ARGS)

rtl: $(if $(filter command,$(origin CONFIG)),rtl-only,$(CATALOG)) ## Generate the SystemVerilog into build/rtl: make rtl [CONFIG=red]

lint: lint-python lint-cpp lint-scala lint-rtl lint-spelling ## Check formatting, types, generated RTL and spelling

fmt: fmt-python fmt-cpp fmt-rtl ## Format everything that has a formatter

synth: $(CATALOG) ## Area and clock rate: make synth CONFIG=red TARGET=ecp5|nexus|xc7|xcup
	@$(SLUICE) synth $(CONFIG) --target $(TARGET) $(ARGS)

bitstream: $(CATALOG) ## What a board is loaded with: make bitstream BOARD=lattice-versa-ecp5
	@$(SLUICE) bitstream $(BOARD) $(ARGS)

mutants: $(CATALOG) ## Faults that the tests of a core miss: make mutants CONFIG=red N=200 SEED=1
	@$(SLUICE) mutants $(CONFIG) --count $(N) --seed $(SEED) $(ARGS)

evidence: $(CATALOG) ## Run conformance and proofs that are due, and keep what they found in cocotb-tests/results
	@$(SLUICE) evidence --run $(ARGS)

sanitize: $(SANITIZED) ## Models and ns-3's module under sanitizers of memory and of undefined behaviour
	@sim/sanitized $(BIN)/pytest $(SANITIZE_TESTS) $(ARGS)

bench: $(RUN_MODELS) $(NS3) build/model/tile-bench ## Wall time of the RTL in ns-3 against ns-3's own code
	@$(SLUICE) bench $(ARGS)

oracle-linux: $(CATALOG) ## The kernel's own queue disciplines beside the RTL, in user-mode-linux
	@$(SLUICE) oracle $(ARGS)

demo-qemu: $(if $(QEMU_LACKS),,build/qemu/initramfs $(LIVE)) ## A machine in QEMU drives the RTL through a PCI device: [KERNEL=/boot/vmlinuz-...]
	@$(if $(QEMU_LACKS),echo "$(QEMU_LACKS)",$(SLUICE) live red-512 --quiet -- $(BIN)/python sim/live/qemu/demo.py $(KERNEL) build/qemu/initramfs)

docs: $(CATALOG) ## Write the generated pages of docs/reference
	@$(SLUICE) docs $(ARGS)

site: $(SITE) ## The pages as a site that needs no internet: build/site/html/index.html

cmake: build/model/$(CONFIG)/libsluice_tile.so ## A CMake package of tiles, for simulators: make cmake CONFIG=red PREFIX=build/cmake
	$(install-tile)

driver: build/driver/libsluice.so build/driver/libsluice.a ## The C driver, as build/driver/libsluice.so and libsluice.a

release: $(CATALOG) $(WHEELS) $(LIBRARY) $(SITE) ## Everything that users of the hardware take, as build/release/sluice-VERSION.tar.gz
	@$(SLUICE) release $(ARGS)

library: $(VENV) ## The RTL as a Scala library, into this user's Maven repository: sluice:sluice_2.13
	@cd rtl && $(SBT) publishM2

wheels: $(WHEELS) ## Python packages of the command and of the golden models, in build/wheels

version: $(VENV) ## Set a later version everywhere: make version VERSION=0.4.0, then make rtl docs
	@$(BIN)/python -m sluice.packages.version $(VERSION)

clean: ## Remove everything generated except .venv
	@rm -rf build rtl/target rtl/project/target rtl/project/project
