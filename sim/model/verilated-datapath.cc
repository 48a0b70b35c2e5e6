// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The C interface of a Verilated datapath: its stream, and captures through it.
#include "datapath/stream.h"

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sluice;

struct SluiceDatapath
{
    /// Verdicts between two calls of the progress function.
    static constexpr uint64_t PROGRESS = 1000;

    static constexpr uint64_t PERIOD_NS = SLUICE_DATAPATH_PERIOD_NS;

    uint64_t Replay(const SluiceReplay& r, void (*progress)(uint64_t))
    {
        stream.isSteady = r.isSteady;
        stream.Begin(r.frames ? r.arrivalNs[0] : 0);
        const uint64_t first = stream.frames.End();
        const uint64_t before = stream.Clocks();
        uint64_t offered = 0;
        uint64_t judged = 0;
        uint64_t written = 0;
        for (uint64_t gone = 0; gone < r.frames;)
        {
            while (offered < r.frames && stream.Offer(r.arrivalNs[offered],
                                                      r.data + r.offset[offered],
                                                      r.bytes[offered],
                                                      r.portRttUs[offered]) != NEVER)
            {
                offered++;
            }
            const bool areWritten = written == r.writes;
            if (!stream.Turn(areWritten ? NEVER : r.writeNs[written] - std::min(r.writeNs[written], PERIOD_NS)))
            {
                if (areWritten)
                {
                    throw std::runtime_error("there is no room for frame " + std::to_string(offered + 1));
                }
                Write(r.writeAddress[written], r.writeValue[written]);
                written++;
            }
            for (; first + judged < stream.Judged(); judged++)
            {
                if ((judged + 1) % PROGRESS == 0)
                {
                    progress(judged + 1);
                }
            }
            for (; const auto number = stream.NextGone(); gone++)
            {
                Store(stream.frames[*number], r, *number - first);
                stream.TakeGone();
                stream.frames.Drop(*number);
            }
        }
        progress(judged);
        stream.Rest();
        told = stream.frames.End();
        return std::max<uint64_t>(stream.Clocks() - before, 1);
    }

    /// Writes a word while frames pass.
    void Write(uint32_t address, uint32_t value)
    {
        stream.BeginAccess({.address = address, .value = value, .isWrite = true});
        std::optional<HostAccess> answer;
        while (!(answer = stream.TakeAnswer()))
        {
            stream.Turn(NEVER);
        }
        AxiLiteHost<Stream>::Checked(*answer);
    }

    /// Puts what became of a frame into its places of the arrays.
    void Store(const HeldFrame& frame, const SluiceReplay& r, uint64_t index)
    {
        r.entryNs[index] = frame.entryNs;
        r.departureNs[index] = frame.departureNs;
        r.seen[index] = frame.seen;
        r.seen[index].action = frame.action;
        r.seen[index].reason = frame.reason;
        if (frame.action < SLUICE_DROP)
        {
            std::memcpy(r.output + r.offset[index], frame.data.get(), frame.bytes);
        }
    }

    uint64_t RunUntil(uint64_t untilNs, uint64_t mostClocks)
    {
        uint64_t clocks = 0;
        while (clocks < mostClocks && stream.Turn(untilNs))
        {
            clocks++;
        }
        return clocks;
    }

    uint32_t Verdicts(SluiceVerdict* room, uint32_t most)
    {
        uint32_t count = 0;
        for (; count < most && told < stream.Judged(); told++)
        {
            const HeldFrame& frame = stream.frames[told];
            room[count++] = {.frame = told, .entryNs = frame.entryNs, .seen = frame.seen};
        }
        return count;
    }

    uint32_t Departed(SluiceDeparted* room, uint32_t most)
    {
        for (const uint64_t number : lent)
        {
            stream.frames.Drop(number);
        }
        lent.clear();
        for (; lent.size() < most && stream.NextGone().value_or(NEVER) < told; stream.TakeGone())
        {
            const uint64_t number = *stream.NextGone();
            const HeldFrame& frame = stream.frames[number];
            const bool isDropped = frame.action >= SLUICE_DROP;
            room[lent.size()] = {.frame = number,
                                 .entryNs = frame.entryNs,
                                 .departureNs = frame.departureNs,
                                 .data = frame.data.get(),
                                 .bytes = isDropped ? 0 : frame.bytes,
                                 .action = frame.action,
                                 .reason = frame.reason};
            lent.push_back(number);
        }
        return static_cast<uint32_t>(lent.size());
    }

    Stream stream;
    uint64_t told = 0;          ///< verdicts, from the first frame on
    std::vector<uint64_t> lent; ///< frames of which somebody has the bytes
};

namespace
{

thread_local std::string g_error; ///< why the last call that failed did, in this thread

/// What a call returns, or what stands for a failure where it throws; then the error says why. No exception leaves the
/// library.
template <typename Call>
auto
Guarded(Call call, decltype(call()) failure = {}) noexcept -> decltype(call())
{
    try
    {
        return call();
    }
    catch (const std::exception& error)
    {
        g_error = error.what();
        return failure;
    }
}

} // namespace

#define SLUICE_EXPORT extern "C" __attribute__((visibility("default")))

SLUICE_EXPORT SluiceDatapath*
sluice_datapath_create()
{
    return Guarded([] { return new SluiceDatapath; });
}

SLUICE_EXPORT void
sluice_datapath_destroy(SluiceDatapath* datapath)
{
    delete datapath;
}

SLUICE_EXPORT const char*
sluice_datapath_error()
{
    return g_error.c_str();
}

SLUICE_EXPORT uint32_t
sluice_datapath_read(SluiceDatapath* datapath, uint32_t address, uint32_t* value)
{
    return Guarded([&] {
        *value = datapath->stream.AccessNow({.address = address}).value;
        return true;
    });
}

SLUICE_EXPORT uint32_t
sluice_datapath_write(SluiceDatapath* datapath, uint32_t address, uint32_t value)
{
    return Guarded([&] {
        datapath->stream.AccessNow({.address = address, .value = value, .isWrite = true});
        return true;
    });
}

SLUICE_EXPORT uint64_t
sluice_datapath_replay(SluiceDatapath* datapath, const SluiceReplay* replay, void (*progress)(uint64_t))
{
    return Guarded([&] { return datapath->Replay(*replay, progress); });
}

SLUICE_EXPORT uint64_t
sluice_datapath_now(const SluiceDatapath* datapath)
{
    return datapath->stream.Now();
}

SLUICE_EXPORT uint64_t
sluice_datapath_offer(SluiceDatapath* datapath,
                      uint64_t arrivalNs,
                      const uint8_t* frame,
                      uint32_t bytes,
                      uint32_t portRttUs)
{
    return datapath->stream.Offer(arrivalNs, frame, bytes, portRttUs);
}

SLUICE_EXPORT uint64_t
sluice_datapath_run_until(SluiceDatapath* datapath, uint64_t untilNs, uint64_t mostClocks)
{
    return Guarded([&] { return datapath->RunUntil(untilNs, mostClocks); }, NEVER);
}

SLUICE_EXPORT uint64_t
sluice_datapath_next_event(const SluiceDatapath* datapath)
{
    return datapath->stream.NextEvent();
}

SLUICE_EXPORT uint32_t
sluice_datapath_verdicts(SluiceDatapath* datapath, SluiceVerdict* room, uint32_t most)
{
    return datapath->Verdicts(room, most);
}

SLUICE_EXPORT uint32_t
sluice_datapath_departed(SluiceDatapath* datapath, SluiceDeparted* room, uint32_t most)
{
    return datapath->Departed(room, most);
}

SLUICE_EXPORT uint32_t
sluice_datapath_access(SluiceDatapath* datapath, const SluiceAccess* access)
{
    return datapath->stream.BeginAccess(
        {.address = access->address, .value = access->value, .isWrite = access->isWrite != 0});
}

SLUICE_EXPORT uint32_t
sluice_datapath_accessed(SluiceDatapath* datapath, SluiceAccess* done)
{
    const auto answer = datapath->stream.TakeAnswer();
    if (answer)
    {
        *done = {.address = answer->address,
                 .value = answer->value,
                 .isWrite = answer->isWrite,
                 .isOkay = answer->isOkay};
    }
    return answer.has_value();
}

SLUICE_EXPORT void
sluice_datapath_queue(const SluiceDatapath* datapath, uint32_t queue, SluiceQueue* counts)
{
    *counts = datapath->stream.OfQueue(queue);
}

SLUICE_EXPORT uint64_t
sluice_datapath_room_clocks(const SluiceDatapath* datapath, uint32_t room, const char** name)
{
    const bool isThere = room < Rooms::COUNT;
    *name = isThere ? Rooms::NAMES[room] : nullptr;
    return isThere ? datapath->stream.ItsRooms().Clocks(room) : 0;
}

SLUICE_EXPORT uint32_t
sluice_datapath_seen_bytes()
{
    return sizeof(SluiceSeen);
}
