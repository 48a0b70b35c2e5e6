# SPDX-License-Identifier: Apache-2.0
"""The register map as LiteX lists registers: one after the other, with something for what lies between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from litex.soc.interconnect.csr import CSRStatus, CSRStorage

_WORD_BITS = 32


class Registers:
    """The registers of a datapath, by their addresses."""

    def __init__(self, file: Path) -> None:
        declared = json.loads(file.read_text())
        self.needs: dict[str, Any] = declared["needs"]
        self._words: list[dict[str, Any]] = sorted(declared["registers"], key=lambda word: int(word["address"]))

    def offsets(self) -> dict[str, int]:
        """Byte addresses of all words, by their names in small letters."""
        return {word["name"].lower(): word["address"] for word in self._words}

    def csrs(self) -> list[Any]:
        """One for each word, in the order of addresses, of its name in small letters; a gap is called after its address."""
        listed: list[Any] = []
        end = 0
        for word in self._words:
            if gap := word["address"] - end:
                listed.append(CSRStatus(gap * 8, name=f"reserved_{end:x}"))
            kind = CSRStatus if word["access"] == "ro" else CSRStorage
            listed.append(kind(_WORD_BITS, name=word["name"].lower(), description=word["doc"]))
            end = word["address"] + _WORD_BITS // 8
        return listed
