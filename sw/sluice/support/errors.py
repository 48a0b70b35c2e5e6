# SPDX-License-Identifier: Apache-2.0
"""The one exception for mistakes that a user can mend: shown as a single line, exit status 2."""

from __future__ import annotations

from typing import IO, Any

import rich_click as click


class UserError(click.ClickException):
    """A wrong input or a missing tool; the message is one sentence that says what to do."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message as one plain line on standard error."""
        one_line = " ".join(self.message.split())
        click.echo(f"sluice: {one_line}", file=file, err=file is None)
