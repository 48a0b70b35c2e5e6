# SPDX-License-Identifier: Apache-2.0
#
# build/sanitize: models and ns-3's module once more, which watch their own memory and arithmetic (AddressSanitizer,
# UndefinedBehaviorSanitizer) and end the process at the first fault. `sim/sanitized COMMAND` has a command use them. Of what is
# undefined, models leave out what half the time of compiling a Verilated file goes into and AddressSanitizer sees itself; Verilator's
# own run-time library stays as it is.

build/sanitize/%: SANITIZER = -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all \
  -fno-omit-frame-pointer -g1
build/sanitize/ns3/%: SANITIZER = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1

SANITIZED_SHARED := $(patsubst %/code-placement.o,build/sanitize/shared/code-placement.o,$(MODEL_SHARED))
SANITIZED_NS3    := $(NS3_OBJECTS:$(NS3_BUILD)/%=build/sanitize/ns3/%)

# What `make sanitize` runs, and the models that this needs.
SANITIZE_TESTS := sim/ns3/tests cocotb-tests/captures/test_replay.py cocotb-tests/datapath/test_in_queue.py
SANITIZED := build/sanitize/ns3/sluice_ns3.so \
  $(patsubst %,build/sanitize/%/libsluice_tile.so,droptail red ared fred green green-2q head-witness out-witness look-witness) \
  $(patsubst %,build/sanitize/%/libsluice_datapath.so,red-64 red-512 codel-512)

build/sanitize/shared/code-placement.o: sim/model/code-placement.cc sim/model/code-placement.h sim/model/library.mk sim/sanitize.mk | $(VENV)
	$(compile-shared)

.SECONDEXPANSION:
build/sanitize/%/libsluice_tile.so: $$(TILE_FILES) $(MODEL_SOURCES) sim/sanitize.mk $(SANITIZED_SHARED)
	$(make-tile)

build/sanitize/%/libsluice_datapath.so: $$(DATAPATH_FILES) $(DATAPATH_SOURCES) sim/sanitize.mk $(SANITIZED_SHARED)
	$(make-datapath)

build/sanitize/ns3/sluice_ns3.so: $(SANITIZED_NS3)
	$(link-ns3)

build/sanitize/ns3/%.o: $(NS3_SOURCE)/%.cc $(NS3_SOURCE)/ns3.mk sim/sanitize.mk | $(VENV)
	$(compile-ns3)

-include $(SANITIZED_NS3:.o=.d)
