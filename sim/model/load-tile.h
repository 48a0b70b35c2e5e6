// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Loads a Verilated tile. Every library exports the same one function, so that tiles of several configurations are
// loaded and not linked, as many of each as a simulation has queues.
#ifndef SLUICE_LOAD_TILE_H
#define SLUICE_LOAD_TILE_H

#include "sluice-tile.h"

#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace sluice
{

/// A new tile out of a library, after Reset(). The library stays loaded. Throws std::runtime_error that says what is
/// wrong with it.
inline std::unique_ptr<Tile>
LoadTile(const std::string& library)
{
    void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = handle ? dlsym(handle, "SluiceCreateTile") : nullptr;
    if (symbol == nullptr)
    {
        const char* const error = dlerror();
        throw std::runtime_error("no tile in " + library + ": " + (error ? error : "it has no SluiceCreateTile"));
    }
    std::string reason;
    std::unique_ptr<Tile> tile{reinterpret_cast<decltype(&SluiceCreateTile)>(symbol)(reason)};
    if (tile == nullptr)
    {
        throw std::runtime_error("no tile from " + library + ": " + reason);
    }
    return tile;
}

} // namespace sluice

#endif // SLUICE_LOAD_TILE_H
