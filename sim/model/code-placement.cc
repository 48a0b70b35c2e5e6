// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Code in the best of several sets of pages; see the header. The sets are copies of the code, one after the other in a
// file in memory, and the code is exchanged by mapping a copy over it, which happens at once even for code that runs.
#include "code-placement.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <link.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sluice
{
namespace
{

using Duration = std::chrono::steady_clock::duration;

constexpr int PLACES = 32;   ///< sets of pages to try; among so many there nearly always are good ones
constexpr int TURNS = 3;     ///< in each; the fastest counts: a machine that does other things only makes turns longer
constexpr int FINALISTS = 4; ///< the fastest sets, tried again, because one slow moment can hide a good set
constexpr int FINAL_TURNS = 12; ///< in each of these

/// The pages of the executable segment of this library.
struct Code
{
    char* begin = nullptr;
    std::size_t size = 0;
};

/// Called for each object that is loaded; ends with that in which this function itself lies.
int
FindCode(dl_phdr_info* object, std::size_t /*size*/, void* found)
{
    const auto here = reinterpret_cast<std::uintptr_t>(&FindCode);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object->dlpi_phnum; i++)
    {
        const auto& segment = object->dlpi_phdr[i];
        const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
        const std::uintptr_t end = begin + segment.p_memsz;
        if (segment.p_type == PT_LOAD && begin <= here && here < end)
        {
            const std::uintptr_t first = begin / page * page;
            *static_cast<Code*>(found) = {reinterpret_cast<char*>(first), (end - first + page - 1) / page * page};
            return 1;
        }
    }
    return 0;
}

/// Copies of the code in a file in memory.
class Copies
{
  public:
    explicit Copies(const Code& code)
        : m_code(code),
          m_file(memfd_create("model-code", MFD_CLOEXEC))
    {
    }

    ~Copies()
    {
        close(m_file); // the copy that is in use stays
    }

    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    /// Makes copy `number`. False: there is no room.
    bool Make(int number)
    {
        return pwrite(m_file, m_code.begin, m_code.size, Offset(number)) == static_cast<ssize_t>(m_code.size);
    }

    /// Puts copy `number` in the place of the code. False: the system does not allow it, and the code stays.
    bool Use(int number)
    {
        const int protection = PROT_READ | PROT_EXEC;
        return mmap(m_code.begin, m_code.size, protection, MAP_PRIVATE | MAP_FIXED, m_file, Offset(number)) !=
               MAP_FAILED;
    }

    /// Gives the memory of all copies but `number` back.
    void KeepOnly(int number)
    {
        const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
        for (int other = 0; other < PLACES; other++)
        {
            if (other != number)
            {
                fallocate(m_file, hole, Offset(other), static_cast<off_t>(m_code.size));
            }
        }
    }

  private:
    off_t Offset(int number) const
    {
        return static_cast<off_t>(m_code.size) * number;
    }

    Code m_code; ///< what is copied
    int m_file;  ///< descriptor
};

/// Whether the environment lets code be placed.
bool
IsWanted()
{
    const char* set = std::getenv("SLUICE_CODE_PLACEMENT");
    const std::string_view word = set ? set : "on";
    if (word != "on" && word != "off")
    {
        throw std::invalid_argument("SLUICE_CODE_PLACEMENT is on or off, not '" + std::string(word) + "'");
    }
    return word == "on";
}

Duration
Time(void (*work)(), int turns)
{
    Duration fastest = Duration::max();
    for (int turn = 0; turn < turns; turn++)
    {
        const auto start = std::chrono::steady_clock::now();
        work();
        fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
    }
    return fastest;
}

} // namespace

void
PlaceCode(void (*work)())
{
    if (!IsWanted())
    {
        return;
    }
    Code code;
    dl_iterate_phdr(FindCode, &code);
    Copies copies(code);
    std::array<std::pair<Duration, int>, PLACES> places;
    for (int place = 0; place < PLACES; place++)
    {
        if (!copies.Make(place) || !copies.Use(place))
        {
            return;
        }
        places[place] = {Time(work, TURNS), place};
    }
    const auto finalists = places.begin() + FINALISTS;
    std::partial_sort(places.begin(), finalists, places.end());
    for (auto place = places.begin(); place != finalists; place++)
    {
        copies.Use(place->second);
        place->first = std::min(place->first, Time(work, FINAL_TURNS));
    }
    const int best = std::min_element(places.begin(), finalists)->second;
    copies.Use(best);
    copies.KeepOnly(best);
}

} // namespace sluice
