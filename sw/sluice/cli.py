# SPDX-License-Identifier: Apache-2.0
"""The `sluice` command: finds its subcommands in `sluice.commands` and turns mistakes into one line."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import rich_click as click

from sluice import __version__, commands
from sluice.errors import UserError


class Subcommands(click.RichGroup):
    """One subcommand per module of `sluice.commands`, imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the modules, with hyphens, in alphabetical order."""
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The `command` of the module of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"sluice.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sluice")
def cli() -> None:
    """Active queue management in gates: simulate, reproduce, synthesize.

    The AQM of every run is the real RTL, verilated and linked into ns-3. Start with `sluice list`, then
    `sluice compare`; `sluice COMMAND --help` explains each command with examples.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake gets one line on standard error and exit status 2."""
    try:
        status = cli.main(arguments, prog_name="sluice", standalone_mode=False)
    except click.ClickException as mistake:
        UserError(mistake.format_message()).show()
        status = UserError.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("sluice: interrupted", err=True)
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
