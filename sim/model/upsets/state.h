// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// All registers and memories of a Verilated design, by their names, so that a bit of them can be inverted and two
// moments of them compared. `taps.py` makes them public and lists them: module, name, bits of a word, words.
#ifndef SLUICE_UPSETS_STATE_H
#define SLUICE_UPSETS_STATE_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

namespace upsets
{

/// A register, or a memory of more than one word.
struct Item
{
    std::string module, scope, name;
    uint32_t bits;  ///< of a word
    uint32_t words; ///< 1: a register
    size_t size;    ///< bytes that Verilator takes for a word
    uint8_t* data;
};

/// The bytes of all items one after the other.
using Image = std::vector<uint8_t>;

class State
{
  public:
    /// Finds every listed item in every instance of its module.
    State(VerilatedContext& context, const char* listed)
    {
        std::map<std::pair<std::string, std::string>, std::pair<uint32_t, uint32_t>> known;
        std::ifstream in(listed);
        std::string module, name;
        for (uint32_t bits, words; in >> module >> name >> bits >> words;)
        {
            known[{module, name}] = {bits, words};
        }
        for (const auto& [scopeName, scope] : *context.scopeNameMap())
        {
            if (!scope->varsp() || !scope->defname())
            {
                continue;
            }
            for (auto& [variable, symbol] : *scope->varsp())
            {
                const auto found = known.find({scope->defname(), variable});
                if (found == known.end())
                {
                    continue;
                }
                const auto [bits, words] = found->second;
                const size_t size = bits <= 8    ? 1
                                    : bits <= 16 ? 2
                                    : bits <= 32 ? 4
                                    : bits <= 64 ? 8
                                                 : (bits + 31) / 32 * 4;
                if (symbol.totalSize() == size * words)
                {
                    items.push_back({scope->defname(),
                                     scopeName,
                                     variable,
                                     bits,
                                     words,
                                     size,
                                     static_cast<uint8_t*>(symbol.datap())});
                }
            }
        }
        std::ranges::sort(items, [](auto& a, auto& b) { return a.scope + "." + a.name < b.scope + "." + b.name; });
    }

    [[nodiscard]] Image Take() const
    {
        Image image;
        for (const Item& item : items)
        {
            image.insert(image.end(), item.data, item.data + item.size * item.words);
        }
        return image;
    }

    void Flip(size_t item, uint32_t word, uint32_t bit)
    {
        items[item].data[items[item].size * word + bit / 8] ^= 1 << bit % 8;
    }

    /// Words of a memory that differ between two moments, or where none does, those that are not 0 in the first one.
    [[nodiscard]] std::vector<uint32_t> Lively(size_t item, const Image& before, const Image& after) const
    {
        size_t at = 0;
        for (size_t i = 0; i < item; i++)
        {
            at += items[i].size * items[i].words;
        }
        std::vector<uint32_t> changed, used;
        for (uint32_t word = 0; word < items[item].words; word++)
        {
            const auto first = before.begin() + static_cast<long>(at + items[item].size * word);
            const auto last = first + static_cast<long>(items[item].size);
            if (!std::equal(first, last, after.begin() + (first - before.begin())))
            {
                changed.push_back(word);
            }
            if (std::any_of(first, last, [](uint8_t byte) { return byte != 0; }))
            {
                used.push_back(word);
            }
        }
        return changed.empty() ? used : changed;
    }

    /// Names of the first items that differ, and how many do.
    [[nodiscard]] std::pair<size_t, std::string> Differing(const Image& expected) const
    {
        size_t at = 0, count = 0;
        std::string names;
        for (const Item& item : items)
        {
            if (std::memcmp(item.data, &expected[at], item.size * item.words) != 0 && count++ < 3)
            {
                names += (names.empty() ? "" : " ") + item.name;
            }
            at += item.size * item.words;
        }
        return {count, names};
    }

    std::vector<Item> items;
};

} // namespace upsets

#endif /* SLUICE_UPSETS_STATE_H */
