// SPDX-License-Identifier: Apache-2.0
//
// A descriptor that becomes readable when its time has come.
#ifndef SLUICE_LIVE_CONTROL_ALARM_H
#define SLUICE_LIVE_CONTROL_ALARM_H

#include "control/direction.h"
#include "file-descriptor.h"

#include <sys/timerfd.h>

namespace sluice::live
{

class Alarm
{
  public:
    /// Has it ring at that time, which may have passed; Clock::time_point::max(): never.
    void Set(Clock::time_point next)
    {
        if (at <= next && at > Clock::now()) // then it is set anew
        {
            return;
        }
        at = next;
        const auto sinceBoot = next == Clock::time_point::max() ? std::chrono::nanoseconds(0) : next.time_since_epoch();
        const itimerspec when{
            .it_interval = {},
            .it_value = {.tv_sec = sinceBoot.count() / 1000000000, .tv_nsec = sinceBoot.count() % 1000000000}};
        timerfd_settime(timer.Get(), TFD_TIMER_ABSTIME, &when, nullptr);
    }

    /// After it has rung.
    void Silence()
    {
        uint64_t expirations;
        if (read(timer.Get(), &expirations, sizeof expirations) > 0)
        {
            at = Clock::time_point::max();
        }
    }

    int Descriptor() const
    {
        return timer.Get();
    }

  private:
    FileDescriptor timer{timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create"};
    Clock::time_point at = Clock::time_point::max();
};

} // namespace sluice::live

#endif
