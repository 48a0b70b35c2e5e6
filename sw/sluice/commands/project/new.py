# SPDX-License-Identifier: Apache-2.0
"""`sluice new`: the files of a core that does something already, to begin with."""

from __future__ import annotations

import rich_click as click

from sluice.packages import scaffold


@click.command(name="new")
@click.argument("name")
def command(name: str) -> None:
    """Lay down the four files of a new core NAME and its line in the catalogue.

    The core drops every packet that finds a threshold of packets queued; it builds, and all tests pass. Make it your
    scheme file by file, the golden model first: docs/adding-an-algorithm.md says how. NAME is what `--aqm` will take:
    lower-case words with hyphens between them, at most 12 characters.

    \b
      sluice new foo           # its files, and `Foo,` in the catalogue
      make check CONFIG=foo    # generates it alone: conformance, rules, corners, tile
      make rtl docs            # all hardware, registers, reference pages
      sluice run main --aqm foo --set threshold=30
    """
    written = scaffold.lay_down(name)
    for file in written[:-1]:
        click.echo(f"wrote {file}")
    click.echo(f"added a line to {written[-1]}")
    click.echo(f"next: make check CONFIG={name}; then docs/adding-an-algorithm.md")
