# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#
# find_package(sluice COMPONENTS red care): the target sluice::tile, which is the headers, and one for each component, a
# configuration, whose file is what sluice::LoadTile() takes: $<TARGET_FILE:sluice::red>. Components are loaded and not linked.

get_filename_component(_sluice_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET sluice::tile)
  add_library(sluice::tile INTERFACE IMPORTED)
  set_target_properties(sluice::tile PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_sluice_prefix}/include/sluice"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()

foreach(_sluice_config IN LISTS sluice_FIND_COMPONENTS)
  set(_sluice_library "${_sluice_prefix}/lib/sluice/${_sluice_config}/libsluice_tile.so")
  if(EXISTS "${_sluice_library}")
    set(sluice_${_sluice_config}_FOUND TRUE)
    if(NOT TARGET sluice::${_sluice_config})
      add_library(sluice::${_sluice_config} MODULE IMPORTED)
      set_target_properties(sluice::${_sluice_config} PROPERTIES IMPORTED_LOCATION "${_sluice_library}")
    endif()
  elseif(sluice_FIND_REQUIRED_${_sluice_config})
    set(sluice_FOUND FALSE)
    set(sluice_NOT_FOUND_MESSAGE "no tile ${_sluice_config} here; in Sluice's tree: make cmake CONFIG=${_sluice_config}")
  endif()
endforeach()
