# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the ns-3 module build/ns3/sluice_ns3.so from the C++ files of this folder and of those in it. The root
# Makefile includes it; alone it runs as `make -f sim/ns3/ns3.mk` from the root. The ns-3 wheel and
# pybind11 are asked for their places when something is to be compiled, not before.

PYTHON ?= .venv/bin/python

NS3_SOURCE := sim/ns3
NS3_BUILD := build/ns3
NS3_MODULE := $(NS3_BUILD)/sluice_ns3.so
NS3_OBJECTS := $(patsubst $(NS3_SOURCE)/%.cc,$(NS3_BUILD)/%.o,$(wildcard $(NS3_SOURCE)/*.cc $(NS3_SOURCE)/*/*.cc))

# The first use of each variable asks Python and keeps the answer.
NS3_WHEEL = $(eval NS3_WHEEL := $$(shell $$(PYTHON) -c \
  "import importlib.util as u; print(u.find_spec('ns3').submodule_search_locations[0])"))$(NS3_WHEEL)
NS3_PYTHON_INCLUDES = $(eval NS3_PYTHON_INCLUDES := $$(shell $$(PYTHON) -m pybind11 --includes \
  | sed 's/-I/-isystem /g'))$(NS3_PYTHON_INCLUDES)
NS3_PREFIX = $(patsubst lib%-core.so,%,$(notdir $(wildcard $(NS3_WHEEL)/lib64/libns3.*-core.so)))
NS3_LIBRARIES = $(foreach part,core network internet point-to-point traffic-control,-l$(NS3_PREFIX)-$(part))

# The definitions are those that the wheel was built with: they change inline code of its headers.
NS3_CXXFLAGS = -std=c++20 -O2 -fPIC -Wall -Wextra -MMD -MP \
  -DNS3_BUILD_PROFILE_RELEASE -DNS3_LOG_ENABLE -DNS3_ASSERT_ENABLE \
  -I$(NS3_SOURCE) -Isim/model -isystem $(NS3_WHEEL)/include $(NS3_PYTHON_INCLUDES)

.PHONY: ns3
ns3: $(NS3_MODULE)

$(NS3_MODULE): $(NS3_OBJECTS)
	$(link-ns3)

define link-ns3
@echo "linking $(@F)"
@$(CXX) -shared $(SANITIZER) -o $@ $^ -L$(NS3_WHEEL)/lib64 $(NS3_LIBRARIES) -Wl,-rpath,$(NS3_WHEEL)/lib64
endef

$(NS3_BUILD)/%.o: $(NS3_SOURCE)/%.cc $(NS3_SOURCE)/ns3.mk
	$(compile-ns3)

define compile-ns3
@mkdir -p $(@D)
@echo "compiling $(<F)"
@$(CXX) $(NS3_CXXFLAGS) $(SANITIZER) -c -o $@ $<
endef

-include $(NS3_OBJECTS:.o=.d)
