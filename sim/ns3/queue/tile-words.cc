/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Register words as text; see the header.
 */

#include "queue/tile-words.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ns3
{

namespace
{

/// What is written where.
struct Word
{
    uint32_t address; //!< byte address of a register
    uint32_t value;   //!< what it is to be
};

/**
 * @brief Read a hexadecimal number.
 * @param text the digits, with or without 0x
 * @return the number; nothing if it is none, or has more than 32 bits
 */
std::optional<uint32_t>
ParseHex(std::string_view text)
{
    constexpr int HEX = 16;
    text.remove_prefix(text.starts_with("0x") ? 2 : 0);
    uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number, HEX);
    return result.ec == std::errc() && result.ptr == end ? std::optional(number) : std::nullopt;
}

/**
 * @brief Read a word and its address.
 * @param pair "ADDRESS=WORD"
 * @return both
 */
Word
ParseWord(const std::string& pair)
{
    const auto equals = pair.find('=');
    if (equals != std::string::npos)
    {
        const auto address = ParseHex(std::string_view(pair).substr(0, equals));
        const auto value = ParseHex(std::string_view(pair).substr(equals + 1));
        if (address && value)
        {
            return {*address, *value};
        }
    }
    throw std::invalid_argument("words: '" + pair + "' is not ADDRESS=WORD in hexadecimal");
}

} // namespace

void
WriteTileWords(sluice::Tile& tile, const std::string& text)
{
    std::istringstream list(text);
    std::string pair;
    for (int sets = 0; std::getline(list, pair, ',');)
    {
        const Word word = ParseWord(pair);
        if (word.address != sluice::COMMIT_ADDRESS)
        {
            tile.Write(word.address, word.value);
            continue;
        }
        ++sets;
        std::string refused;
        if (!tile.Commit(refused))
        {
            throw std::invalid_argument("words: the model refused what was committed as number " +
                                        std::to_string(sets) + ": " + refused);
        }
    }
}

} // namespace ns3
