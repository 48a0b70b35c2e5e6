/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Tiles out of shared libraries; see the header.
 */

#include "queue/tile-library.h"

#include <dlfcn.h>
#include <stdexcept>

namespace ns3
{

std::unique_ptr<sluice::Tile>
MakeTile(const std::string& path)
{
    if (path.empty())
    {
        throw std::invalid_argument("ns3::SluiceQueueDisc::Model must name a library");
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
    {
        throw std::invalid_argument(std::string("cannot load the model: ") + dlerror());
    }
    using Factory = decltype(&SluiceCreateTile);
    auto create = reinterpret_cast<Factory>(dlsym(library, "SluiceCreateTile"));
    if (create == nullptr)
    {
        throw std::invalid_argument("'" + path + "' is not the library of a Sluice tile");
    }
    std::string reason;
    std::unique_ptr<sluice::Tile> tile(create(reason));
    if (!tile)
    {
        throw std::runtime_error("the model '" + path + "' makes no tile: " + reason);
    }
    return tile;
}

} // namespace ns3
