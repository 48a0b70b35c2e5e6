# SPDX-License-Identifier: GPL-2.0-only
"""One ns-3 run in a process of its own: ns-3 keeps global state, and it is GPL.

Reads the scenario as JSON on standard input and prints the result as JSON on standard output.
Standard error has lines "progress <simulated s> <total s>", or one line "error: ..." with exit
status 2. README.md describes both shapes. The module
sluice_ns3 is looked for on PYTHONPATH and in build/ns3.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

MODULE_FOLDER = Path(__file__).resolve().parents[2] / "build" / "ns3"
EXIT_FAILED = 2
EXIT_INTERRUPTED = 130


def report_progress(simulated_s: float, total_s: float) -> None:
    """Print one progress line; both times are simulated seconds."""
    print(f"progress {simulated_s:.3f} {total_s:.3f}", file=sys.stderr, flush=True)


def fail(message: object) -> int:
    """Print the one error line and return the exit status."""
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr, flush=True)
    return EXIT_FAILED


def main() -> int:
    """Run the scenario on standard input; the exit status."""
    sys.path.append(str(MODULE_FOLDER))
    try:
        import sluice_ns3  # noqa: PLC0415  a missing build must be one clear line, too
    except ImportError as error:
        return fail(f"the ns-3 module cannot be loaded: {error}")
    try:
        scenario = json.load(sys.stdin)
    except ValueError as error:
        return fail(f"the scenario is not JSON: {error}")
    if not isinstance(scenario, dict):
        return fail("the scenario must be an object")
    try:
        result = sluice_ns3.run(scenario, report_progress)
    except (ValueError, RuntimeError, MemoryError) as error:
        return fail(error)
    json.dump(result, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(EXIT_FAILED)
