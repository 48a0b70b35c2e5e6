# SPDX-License-Identifier: Apache-2.0
"""`sluice evidence`: how far the RTL of today is compared with its models, and what is proved of it."""

from __future__ import annotations

import subprocess
import sys

import rich_click as click

from sluice.faults.mutants.recording import ARRIVALS
from sluice.pages import evidence
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import console


@click.command(name="evidence")
@click.option("--run", is_flag=True, help="First run the tests of whatever has no row, or one of earlier RTL.")
def command(run: bool) -> None:
    """Put what conformance and proofs have found into cocotb-tests/results, and name what they are still due for.

    Each run of these tests that passes leaves what it has counted under build: of proofs by `make test` too, of conformance where
    it had all its traffic, pytest's `--arrivals 100000`. Here it becomes a row of conformance.csv or proofs.csv, if it was of the
    RTL that is in build/rtl now. A row that says the same stays as it is, with its date. `make docs` then renews the tables of
    README and docs/trust/verification.md, where rows of earlier RTL bear a dagger.

    \\b
      sluice evidence
      sluice evidence --run      # what is due, by pytest; a whole catalogue takes its time
    """
    has_failed = run and _has_failed()
    for kind in evidence.ALL:
        changed, due = kind.collect(), kind.due()
        missing = f"none of {len(kind.subjects())} is due" if not due else f"due: {', '.join(due)}"
        console.print(f"{kind.name}: {changed} rows changed; {missing}", soft_wrap=True)
    if has_failed:
        raise UserError("some tests failed, and have left nothing")


def _has_failed() -> bool:
    """Run the tests of what is due, if anything is."""
    tests = list(dict.fromkeys(kind.test(subject) for kind in evidence.ALL for subject in kind.due()))
    return (
        bool(tests)
        and subprocess.run(
            [sys.executable, "-m", "pytest", "--arrivals", str(ARRIVALS), *tests],
            cwd=paths.root(),
            env=paths.environment(),
            check=False,
        ).returncode
        != 0
    )
