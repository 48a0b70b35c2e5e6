/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Tiles out of shared libraries.
 */

#ifndef TILE_LIBRARY_H
#define TILE_LIBRARY_H

#include "sluice-tile.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief Load the library of a tile and make one.
 *
 * The library stays loaded until the process ends, because trace sinks may keep the names of its
 * reasons. Throws std::invalid_argument if there is no such library or it is not a tile's, and
 * std::runtime_error if it makes none.
 *
 * @param path path of libsluice_tile.so
 * @return a tile after reset
 */
std::unique_ptr<sluice::Tile> MakeTile(const std::string& path);

} // namespace ns3

#endif /* TILE_LIBRARY_H */
