# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# `make cmake` puts the version in. Before 1.0 a minor version may change the interface.

set(PACKAGE_VERSION "@VERSION@")

if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _sluice_series "${PACKAGE_VERSION}")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION
   AND "${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL "${_sluice_series}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
