# SPDX-License-Identifier: Apache-2.0
"""What tests have found of the RTL: over how much traffic each core was bit-exact with its model, and what of it is proved.

A test that passes leaves a record of its run under build/evidence, with the digest of the RTL that it ran on. The records of the
present RTL become rows of cocotb-tests/results, which are under version control and from which pages are made. A row tells of
the RTL whose digest it bears, and is old when that is another now. A run that has found the same as the row says leaves the row
as it is, with its date.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.hardware import catalog, rtl_digest
from sluice.support import paths, results_table

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """Something that is proved, of a design that is generated for that alone."""

    name: str
    states: str
    """What holds, in words."""


def claims() -> dict[str, Claim]:
    """All of them by name, in the generator's order."""
    return {claim.name: claim for claim in catalog.entries("proofs", Claim)}


@dataclass(frozen=True)
class Evidence:
    """One kind of it: a table, and whose rows it has."""

    name: str
    key: tuple[str, ...]
    """Columns that tell rows apart. The first names the RTL."""
    verilog: Callable[[str], Path]
    """The RTL of that name."""
    subjects: Callable[[], list[str]]
    """All names that there should be rows of."""
    test: Callable[[str], str]
    """For pytest, the tests that find it for a name, and perhaps for others too."""

    @property
    def table(self) -> Path:
        return paths.root() / "cocotb-tests" / "results" / f"{self.name}.csv"

    def digest(self, subject: str) -> str:
        """Of the RTL as it is generated now."""
        return rtl_digest.digest(paths.made(self.verilog(subject)).read_text())

    def is_old(self, row: Row) -> bool:
        """Whether a row is of other RTL than is generated now."""
        return bool(row["rtl"] != self.digest(row[self.key[0]]))

    def rows(self) -> list[dict[str, str]]:
        """What is known, of the present RTL and of earlier one."""
        return results_table.read(self.table)

    def forget(self, *key: str) -> None:
        """A test begins: what an earlier run of it has left is worth nothing."""
        self._record(key).unlink(missing_ok=True)

    def leave(self, **found: Any) -> None:
        """A test has passed, and has found this."""
        key = tuple(str(found.pop(name)) for name in self.key)
        file = self._record(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        head = dict(zip(self.key, key, strict=True)) | {"rtl": self.digest(key[0])}
        file.write_text(json.dumps(head | found | {"date": datetime.date.today().isoformat()}))

    def collect(self) -> int:
        """Put what the present RTL's tests have left into the table, and take out what is gone; how many rows have changed."""
        subjects, kept = set(self.subjects()), {self._key(row): row for row in self.rows()}
        rows = {key: row for key, row in kept.items() if key[0] in subjects}
        for file in sorted(self._folder.glob("*.json")):
            record = {name: str(value) for name, value in json.loads(file.read_text()).items()}
            key = self._key(record)
            is_known = key in rows and rows[key] | {"date": ""} == record | {"date": ""}
            if key[0] in subjects and not is_known and not self.is_old(record):
                rows[key] = record
        changed = sum(rows.get(key) != kept.get(key) for key in rows.keys() | kept.keys())
        if changed:
            columns = dict.fromkeys(name for row in rows.values() for name in row)
            results_table.write(self.table, [rows[key] for key in sorted(rows)], list(columns))
        return changed

    def due(self) -> list[str]:
        """Names without a row, or with one of earlier RTL."""
        rows = self.rows()
        current = {self._key(row)[0] for row in rows} - {self._key(row)[0] for row in rows if self.is_old(row)}
        return [subject for subject in self.subjects() if subject not in current]

    @property
    def _folder(self) -> Path:
        return paths.build() / "evidence" / self.name

    def _record(self, key: tuple[str, ...]) -> Path:
        return self._folder / f"{'-'.join(key)}.json"

    def _key(self, row: Row) -> tuple[str, ...]:
        return tuple(row[name] for name in self.key)


CONFORMANCE = Evidence(
    "conformance",
    ("config",),
    verilog=paths.core_verilog,
    subjects=lambda: catalog.load().config_names,
    test=lambda config: f"cocotb-tests/cores/test_conformance.py::test_traffic[{config}]",
)
"""Bare cores against their golden models, in random traffic."""

PROOFS = Evidence(
    "proofs",
    ("proof", "mode"),
    verilog=paths.proof_verilog,
    subjects=lambda: list(claims()),
    test=lambda _: "cocotb-tests/blocks/test_proofs.py::test_proof",
)
"""Claims that a solver has found no way to break."""

ALL = (CONFORMANCE, PROOFS)
