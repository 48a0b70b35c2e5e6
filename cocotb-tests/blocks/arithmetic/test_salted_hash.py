# SPDX-License-Identifier: Apache-2.0
"""The hash that a salt chooses: another word and another salt in each clock, and all bits of both matter."""

from __future__ import annotations

import numpy as np
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.arithmetic.salted_hash import salted_hash

SOURCE = RTL / "blocks" / "sluice_block_salted_hash.sv"
LATENCY, ROWS = 10, 20_000
FAULT = Fault("salted_hash", "hash-of-one-bit-beside", r"_product\[24 : 9\]", "_product[23 : 8]", within=ROWS)


def is_right(player: Player, words: np.ndarray, salts: np.ndarray) -> bool:
    hashes = player.play({"io_word": words, "io_salt": salts})["io_hash"][LATENCY:]
    given = zip(words.tolist(), salts.tolist(), strict=True)
    return hashes.tolist() == [salted_hash(word, salt) for word, salt in given][:-LATENCY]


def test_a_hash_in_each_clock() -> None:
    rng = np.random.default_rng(1)
    words = rng.integers(0, 1 << 32, ROWS, dtype=np.uint64)
    salts = rng.integers(0, 1 << 64, ROWS, dtype=np.uint64)
    player = Player(SOURCE)
    assert is_right(player, words, salts)
    assert not is_right(FAULT.player(SOURCE), words, salts)

    ones = np.uint64(1) << np.arange(64, dtype=np.uint64)
    changed = [(0, 0), *((int(bit), 0) for bit in ones[:32]), *((0, int(bit)) for bit in ones)]
    given, salts = (np.array([*column, *[0] * LATENCY], dtype=np.uint64) for column in zip(*changed, strict=True))
    hashes = player.play({"io_word": given, "io_salt": salts})["io_hash"][LATENCY:]
    assert not (hashes[1:33] == hashes[0]).any()
    words = rng.integers(0, 1 << 32, 100 + LATENCY, dtype=np.uint64)
    of_no_salt, *of_one = (player.play({"io_word": words, "io_salt": np.full(len(words), bit)}) for bit in (0, *ones))
    for seen in of_one:
        assert (seen["io_hash"] != of_no_salt["io_hash"])[LATENCY:].mean() > 0.3
