# SPDX-License-Identifier: Apache-2.0
"""The `sluice` command: finds its subcommands in the packages of `sluice.commands` and turns mistakes into one line."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import rich_click as click
from rich_click.utils import CommandGroupDict

from sluice import __version__, commands
from sluice.support.errors import UserError


def _found() -> dict[str, list[str]]:
    """The modules that are a command, by the package they are in, each in alphabetical order."""
    packages = sorted(entry.name for entry in pkgutil.iter_modules(commands.__path__) if entry.ispkg)
    paths = {name: importlib.import_module(f"{commands.__name__}.{name}").__path__ for name in packages}
    return {name: sorted(module.name for module in pkgutil.iter_modules(path)) for name, path in paths.items()}


def _typed(module: str) -> str:
    return module.replace("_", "-")


class Subcommands(click.RichGroup):
    """One subcommand per module of the packages in `sluice.commands`, imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the modules, with hyphens, in alphabetical order."""
        return sorted(_typed(name) for names in _found().values() for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The `command` of the module of that name."""
        for package, names in _found().items():
            for name in names:
                if _typed(name) == cmd_name:
                    module = importlib.import_module(f"{commands.__name__}.{package}.{name}")
                    command: click.Command = module.command
                    return command
        return None


def _panels() -> list[CommandGroupDict]:
    """What `--help` shows together: a panel for each package, called as its first line says."""
    return [
        {
            "name": (importlib.import_module(f"{commands.__name__}.{package}").__doc__ or "").strip(),
            "commands": [_typed(name) for name in names],
        }
        for package, names in _found().items()
    ]


click.rich_click.COMMAND_GROUPS = {"sluice": _panels()}


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
