# SPDX-License-Identifier: Apache-2.0
"""`sluice tc`: a live run's queue disciplines, in the words of Linux' tc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import rich_click as click

from sluice.driver.tc import session
from sluice.support.errors import UserError

_SHOW = ("show", "list", "ls")
_CHANGE = ("replace", "change")


@dataclass(frozen=True)
class _Asked:
    """The words behind the options."""

    verb: str
    device: str
    kind: str = ""
    settings: Sequence[str] = ()


@click.command(name="tc", context_settings={"allow_interspersed_args": False})
@click.argument("words", metavar="qdisc ...", nargs=-1, type=click.UNPROCESSED)
@click.option("-s", "statistics", is_flag=True, help="With statistics.")
@click.option("-d", "details", is_flag=True, help="With details.")
@click.option("-j", "as_json", is_flag=True, help="As JSON.")
@click.option("--socket", type=click.Path(path_type=Path), help="Of the run, if there are several.")
def command(words: tuple[str, ...], statistics: bool, details: bool, as_json: bool, socket: Path | None) -> None:
    """Show and set the queue discipline of a `sluice live` as tc does, for red, choke, codel, pie and sfb.

    The run's datapaths are the devices `forward` and, with --both-ways, `backward`. docs/simulate/tc.md says what is other
    than in Linux.

    \b
      sluice tc -s -j qdisc show dev forward
      sluice tc qdisc replace dev forward root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn bandwidth 10mbit
    """
    asked = _parsed(words)
    with session.disciplines(socket) as found:
        chosen = session.named(found, asked.device)
        if asked.verb == "change":
            chosen[0].change(asked.kind, asked.settings)
            return
        shown = [each.shown(is_named=bool(asked.device), details=details, statistics=statistics) for each in chosen]
    click.echo(
        f"[{','.join(each.json for each in shown)}]\n" if as_json else "".join(each.text for each in shown), nl=False
    )


def _parsed(words: Sequence[str]) -> _Asked:
    """What tc's grammar makes of the words, as far as it concerns a datapath."""
    if words[:1] != ("qdisc",):
        raise UserError("say `qdisc show` or `qdisc replace`; a datapath has no classes and filters")
    verb, rest = (words[1] if len(words) > 1 else "show"), list(words[2:])
    device = ""
    is_root = False
    while rest and rest[0] in ("dev", "root"):
        is_root |= rest[0] == "root"
        if rest.pop(0) == "dev":
            if not rest:
                raise UserError('Command line is not complete. Try option "help"')
            device = rest.pop(0)
    if verb in _SHOW and not rest:
        return _Asked("show", device)
    if verb in _SHOW:
        raise UserError(f'What is "{rest[0]}"? Try "tc qdisc help".')
    if verb not in _CHANGE:
        raise UserError(f'Command "{verb}" is unknown here: a datapath is shown, replaced or changed')
    if not device or not is_root or not rest:
        raise UserError(f"say {verb} dev NAME root KIND ...")
    return _Asked("change", device, rest[0], rest[1:])
