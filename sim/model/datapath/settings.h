// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What the host's side of a datapath has to know of its parameters in force, whoever sets them: read anew after each
// COMMIT.
#ifndef SLUICE_DATAPATH_SETTINGS_H
#define SLUICE_DATAPATH_SETTINGS_H

#include "axi-lite-host.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace sluice
{

/// Says which word it wants to read, one after the other, and is told each.
class Settings
{
  public:
    double nsPerByte = 0, overheadBytes = 0, burstNs = 0;
    bool isStalling = false; ///< the input waits while the buffer is full

    /// A COMMIT has been written.
    void Renew()
    {
        isCommitting = true;
        known = 0;
        polls = 0;
    }

    bool IsStale() const
    {
        return known < NAMES.size();
    }

    /// The next access that it takes to know all.
    HostAccess Wanted() const
    {
        return {.address = isCommitting ? SLUICE_COMMIT : Parameter(NAMES[known]).address + SLUICE_IN_FORCE_OFFSET};
    }

    /// What has been read. Returns whether all is known now.
    bool Note(const HostAccess& read)
    {
        if (isCommitting)
        {
            isCommitting = read.value & 1;
            if (++polls == MOST_POLLS)
            {
                throw std::runtime_error("a COMMIT does not end");
            }
            return false;
        }
        values[known] = std::ldexp(read.value, -static_cast<int>(Parameter(NAMES[known]).fraction));
        if (++known < NAMES.size())
        {
            return false;
        }
        nsPerByte = values[0];
        overheadBytes = values[1];
        burstNs = values[2];
        isStalling = values[3] != 0;
        return true;
    }

  private:
    static constexpr std::array<std::string_view, 4> NAMES = {"ns_per_byte", "overhead", "burst", "stall"};
    static constexpr int MOST_POLLS = 10000;

    static const sluice_parameter& Parameter(std::string_view name)
    {
        const std::span all(SLUICE_MAP.parameters, SLUICE_MAP.parameter_count);
        return *std::ranges::find(all, name, [](const auto& p) { return std::string_view(p.name); });
    }

    std::array<double, NAMES.size()> values{};
    bool isCommitting = false; ///< it may not be in force yet
    size_t known = 0;          ///< how many of the words
    int polls = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_SETTINGS_H
