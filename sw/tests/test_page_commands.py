# SPDX-License-Identifier: Apache-2.0
"""Commands that pages show are commands: of `sluice` each subcommand, option, experiment and scenario, of make each target, of
pytest each file.

Most of them take minutes, or a board; those are read as the command line would read them, and not run. The others are run.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import rich_click as click

from sluice import experiments
from sluice.commands.cli import Subcommands
from sluice.loop import scenario
from sluice.support.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
SLUICE = Path(sys.executable).with_name("sluice")
_FENCED = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ANY_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_COMMAND = re.compile(r"(?:sudo )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(sluice|make|pytest) (.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_-]*\d*")


def shown() -> Iterator[tuple[str, str, list[str]]]:
    """Page, program and words of each command, without those that only show the form of one."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in set(listed.stdout.split()) - {"CHANGELOG.md"}:  # which tells of earlier versions
        text = (ROOT / name).read_text()
        lines = [line for block in _FENCED.findall(text) for line in block.replace("\\\n", " ").splitlines()]
        for line in [*lines, *_SPAN.findall(_ANY_FENCE.sub("", text))]:
            found = _COMMAND.fullmatch(" ".join(re.split(r"\s#", line)[0].split()))
            if found and not re.search(r"[\[<|…]|\.\.\.|&&", found[2]):
                yield name, found[1], shlex.split(found[2])


COMMANDS = sorted(shown())


def commands_of(program: str) -> list[tuple[str, list[str]]]:
    found = [(page, words) for page, named, words in COMMANDS if named == program]
    assert len(found) > 10
    return found


def test_commands_of_sluice() -> None:
    wrong = [(page, words, said) for page, words in commands_of("sluice") if (said := _refused(words))]
    assert wrong == []


def _refused(words: list[str]) -> str:
    """What is wrong with a command of `sluice`; nothing, where nothing is, or it is a form."""
    if _PLACEHOLDER.fullmatch(words[0]) or words == ["--version"]:
        return ""
    command: click.Command = Subcommands(name="sluice")
    context = click.Context(command)
    try:
        while isinstance(command, click.Group) and words:
            _, found, words = command.resolve_command(context, words)
            assert found is not None
            command, context = found, click.Context(found, parent=context, **found.context_settings)
        values, _, _ = command.make_parser(context).parse_args(list(words))
        _look_up(command.name or "", values)
    except click.BadOptionUsage:
        return ""  # an option that is only named
    except (click.UsageError, UserError) as error:
        return str(error)
    return ""


def _look_up(command: str, values: dict[str, object]) -> None:
    """Refuses what an argument names that is not there."""
    loads = {"reproduce": ("experiment_name", experiments.load)} | dict.fromkeys(
        ("run", "compare"), ("scenario_name", scenario.load)
    )
    parameter, load = loads.get(command, ("", str))
    value = values.get(parameter)
    if isinstance(value, str) and not _PLACEHOLDER.fullmatch(value) and not value.endswith(".yaml"):
        load(value)


AT_ONCE = {"--version", "list", "red-auto"}
"""These take seconds, and `--list` of any other; docs/index.md names them."""


def _is_at_once(words: list[str]) -> bool:
    return words[0] in AT_ONCE or "--list" in words


@pytest.mark.parametrize(
    "words", sorted({tuple(words) for _, words in commands_of("sluice") if _is_at_once(words)}), ids=" ".join
)
def test_what_answers_at_once(words: tuple[str, ...]) -> None:
    """It is run as it stands; where only its name is given, it may say what it wants."""
    done = subprocess.run([SLUICE, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, bool(done.stdout)) == (0, True) or (len(words) == 1 and "Missing" in done.stderr), (
        done.stderr
    )


def test_the_page_names_what_answers_at_once() -> None:
    told = (ROOT / "docs" / "index.md").read_text().partition("answer at once")[0].rpartition("\n\n")[2]
    assert set(re.findall(r"`sluice (\S+)`", told)) == AT_ONCE


def test_targets_of_make() -> None:
    makefiles = "".join((ROOT / name).read_text() for name in ("Makefile", "build.mk"))
    targets = set(re.findall(r"^([\w-]+):", makefiles, re.MULTILINE))
    for page, words in commands_of("make"):
        asked = [word for word in words if not re.match(r"\w+=|-|build/", word) and not _PLACEHOLDER.fullmatch(word)]
        assert set(asked) <= targets, (page, words)


def test_files_of_pytest() -> None:
    for page, words in commands_of("pytest"):
        files = [ROOT / word.partition("::")[0] for word in words if "/" in word]
        assert [file for file in files if not file.exists()] == [], page


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["reproduce", "care-table7"], "care-table7"),
        (["reprodce", "care-table6"], "reprodce"),
        (["run", "main", "--aqmm", "red"], "--aqmm"),
        (["reproduce", "NAME"], ""),
        (["reproduce", "care-table6", "--quick"], ""),
    ],
)
def test_what_is_no_command_is_found(words: list[str], says: str) -> None:
    assert says in _refused(words)
    assert bool(says) == bool(_refused(words))
