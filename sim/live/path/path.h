// SPDX-License-Identifier: Apache-2.0
//
// One direction of the line: frames from a device through a model, if there is
// one, and over a delay to the other device. All of it is one thread's, which
// nobody makes wait.
#ifndef SLUICE_LIVE_PATH_H
#define SLUICE_LIVE_PATH_H

#include "net/endpoint.h"
#include "path/delay-line.h"
#include "path/histogram.h"
#include "path/model.h"
#include "path/register-port.h"
#include "path/tape.h"
#include "path/wall.h"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <sys/eventfd.h>
#include <thread>

namespace sluice::live
{

/// What a path counts: written by its thread, read by any.
struct PathCounters
{
    using Count = std::atomic<uint64_t>;

    Count inFrames = 0, inBytes = 0;        ///< read, padded
    Count outFrames = 0, outBytes = 0;      ///< written
    Count queued = 0;                       ///< frames in the model now
    Count overrun = 0;                      ///< frames that were not offered, because the model is too slow
    Count refused = 0;                      ///< frames that the other device did not take
    std::array<Count, 16> drops{}, marks{}; ///< by the code of the reason; 0: overlong
    Count clocks = 0;                       ///< of the model
    Count busyNs = 0;                       ///< wall time in which it was clocked
    Histogram delay;                        ///< from entry to departure
    Histogram late;                         ///< of a write, behind departure and delay
    Histogram lag;                          ///< of the model, when it was clocked
    Histogram slept;                        ///< behind the time that the thread wanted to wake
};

class Path
{
  public:
    /// Does not run yet. Without a model the link is as fast as it goes. `tape`
    /// is null where nothing is recorded.
    Path(const Wall& wall,
         const Endpoint& from,
         const Endpoint& to,
         std::optional<Model> itsModel,
         uint64_t delayNs,
         Tape* tape);
    ~Path();

    /// Begins the thread, which has the scheduling class of the caller.
    void Start();
    /// Reads no more frames, and ends when all that are on their way have come
    /// out, or after a second.
    void Stop();

    /// Why the thread ended before it was told to; empty: it has not. Once that
    /// is so, nothing goes through.
    std::string Failure() const;

    PathCounters counters;
    Mailbox mailbox; ///< for accesses to the model's registers

  private:
    void Run();
    void Drain(uint64_t nowNs);
    void RunModel(uint64_t nowNs);
    uint64_t LagNs(uint64_t nowNs) const;
    void TakeOut();
    void WriteDue();
    void Sleep(uint64_t nextNs);

    const Wall& wall;
    const Endpoint& from;
    const Endpoint& to;
    std::optional<Model> model;
    RegisterPort registers{mailbox};
    uint64_t delayNs;
    Tape* tape;
    DelayLine line;
    FileDescriptor wake;
    std::array<uint8_t, DelayLine::SLOT_BYTES> frame{};
    uint64_t offered = 0, gone = 0; ///< frames of the model
    uint64_t taped = 0;             ///< frames of which the tape has all, without a model
    uint64_t busyFromNs = 0;        ///< when the first of those that it has came
    std::atomic<bool> isStopping = false, hasFailed = false;
    std::string failure; ///< once it has failed
    std::thread thread;
};

} // namespace sluice::live

#endif
