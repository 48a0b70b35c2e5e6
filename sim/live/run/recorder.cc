// SPDX-License-Identifier: Apache-2.0
#include "run/recorder.h"

#include "sluice-datapath.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace sluice::live
{

namespace
{

constexpr size_t LONGEST = 1 << 16;

/// Heads of a pcap file with times in ns, and of its records.
struct FileHead
{
    uint32_t magic = 0xa1b23c4d;
    uint16_t major = 2, minor = 4;
    uint32_t zone = 0, accuracy = 0, longest = LONGEST, linkType = 1;
};

struct RecordHead
{
    uint32_t seconds, ns, bytes, wireBytes;
};

} // namespace

Recorder::Recorder(const std::string& itsFolder, const std::string& name, const std::vector<Reason>& itsReasons)
    : folder((std::filesystem::create_directories(itsFolder), itsFolder)),
      reasons(itsReasons),
      came(Open(folder + "/" + name + ".pcap")),
      left(Open(folder + "/" + name + "-out.pcap")),
      table(Open(folder + "/" + name + ".tsv")),
      writes(Open(folder + "/" + name + "-writes.tsv")),
      room(LONGEST)
{
    const FileHead head;
    std::fwrite(&head, sizeof head, 1, came.get());
    std::fwrite(&head, sizeof head, 1, left.get());
    std::fputs("time_ns\taddress\tword\n", writes.get());
    std::fputs("frame\tentry_ns\tverdict\treason\tdeparture_ns\n", table.get());
}

void
Recorder::Work()
{
    while (const auto event = tape.Take(room))
    {
        const std::vector<uint8_t> bytes(room.begin(), room.begin() + event->size);
        switch (event->kind)
        {
        case TapeEvent::Kind::Wrote: {
            WrittenWord its;
            std::memcpy(&its, bytes.data(), sizeof its);
            std::fprintf(writes.get(),
                         "%" PRIu64 "\t0x%03" PRIx32 "\t0x%" PRIx32 "\n",
                         event->timeNs,
                         its.address,
                         its.word);
            break;
        }
        case TapeEvent::Kind::Offered:
            frames.push_back({bytes});
            break;
        case TapeEvent::Kind::Judged: {
            Frame& frame = frames[judged++];
            frame.entryNs = event->timeNs;
            Write(came.get(), event->timeNs, frame.bytes);
            break;
        }
        case TapeEvent::Kind::Gone:
            if (!bytes.empty())
            {
                Write(left.get(), event->timeNs, bytes);
            }
            frames[event->frame - number].gone = event;
            for (; !frames.empty() && frames.front().gone; number++, judged--)
            {
                WriteRow(frames.front());
                frames.pop_front();
            }
            break;
        }
    }
}

void
Recorder::WriteRow(const Frame& frame)
{
    const TapeEvent& gone = *frame.gone;
    static constexpr const char* VERDICTS[] = {"pass", "mark", "drop", "drop"};
    const auto reason = std::ranges::find_if(reasons, [&](const Reason& r) {
        return gone.action != SLUICE_PASS && gone.action != SLUICE_OVERSIZE && r.code == gone.reason;
    });
    std::fprintf(table.get(),
                 "%lu\t%lu\t%s\t%s\t",
                 static_cast<unsigned long>(number + 1),
                 static_cast<unsigned long>(frame.entryNs),
                 VERDICTS[gone.action],
                 reason == reasons.end() ? "" : reason->name.c_str());
    if (gone.timeNs != 0)
    {
        std::fprintf(table.get(), "%lu", static_cast<unsigned long>(gone.timeNs));
    }
    std::fputc('\n', table.get());
}

std::string
Recorder::Finish()
{
    Work();
    bool isWhole = true;
    for (File* file : {&came, &left, &table, &writes})
    {
        isWhole &= !std::ferror(file->get()) && std::fflush(file->get()) == 0;
    }
    if (!isWhole)
    {
        return "the recording in " + folder + " could not be written";
    }
    return tape.IsFull() ? "the recording in " + folder + " ends early: the disk was too slow" : "";
}

Recorder::File
Recorder::Open(const std::string& path)
{
    File file(std::fopen(path.c_str(), "we"), std::fclose);
    if (!file)
    {
        throw std::system_error(errno, std::generic_category(), "cannot write " + path);
    }
    return file;
}

void
Recorder::Write(std::FILE* file, uint64_t timeNs, const std::vector<uint8_t>& bytes)
{
    const auto size = static_cast<uint32_t>(bytes.size());
    const RecordHead head{static_cast<uint32_t>(timeNs / 1000000000),
                          static_cast<uint32_t>(timeNs % 1000000000),
                          size,
                          size};
    std::fwrite(&head, sizeof head, 1, file);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
}

} // namespace sluice::live
