// SPDX-License-Identifier: Apache-2.0
//
// The time of a run: nanoseconds since it began, in whole periods of the
// model's clock.
#ifndef SLUICE_LIVE_WALL_H
#define SLUICE_LIVE_WALL_H

#include "sluice-datapath.h"

#include <cstdint>
#include <time.h>

namespace sluice::live
{

/// CLOCK_MONOTONIC, from 0 on. Rounded down, so that a model whose time begins
/// at 0 too is never told of a time between two of its clocks: then a replay at
/// the recorded times has every clock where the run had it.
class Wall
{
  public:
    Wall()
        : begin(Monotonic())
    {
    }

    uint64_t Now() const
    {
        const uint64_t ns = Monotonic() - begin;
        return ns - ns % SLUICE_DATAPATH_PERIOD_NS;
    }

  private:
    static uint64_t Monotonic()
    {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
    }

    uint64_t begin;
};

} // namespace sluice::live

#endif
