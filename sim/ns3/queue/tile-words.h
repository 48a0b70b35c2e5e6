/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Register words as text, written to a tile one after the other.
 */

#ifndef TILE_WORDS_H
#define TILE_WORDS_H

#include "sluice-tile.h"

#include <string>

namespace ns3
{

/**
 * @brief Write register words to a tile, in their order.
 *
 * A word that goes to COMMIT applies what was staged before it, whatever the word is. Throws
 * std::invalid_argument for a malformed list, for a word that the tile refuses and for a set that
 * it refuses.
 *
 * @param tile the tile
 * @param text "ADDRESS=WORD,ADDRESS=WORD", both in hexadecimal digits, with or without 0x
 */
void WriteTileWords(sluice::Tile& tile, const std::string& text);

} // namespace ns3

#endif /* TILE_WORDS_H */
