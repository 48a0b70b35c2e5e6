# SPDX-License-Identifier: Apache-2.0
"""No package imports in a circle, not even for types alone: what cannot be read by itself cannot be changed by itself."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules(package: Path) -> dict[str, Path]:
    """The modules below a package by their names, the package's own among them."""
    files = {file: file.relative_to(package.parent).with_suffix("").parts for file in sorted(package.rglob("*.py"))}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): file for file, parts in files.items()}


def imports(package: Path) -> dict[str, set[str]]:
    """What each module imports of its own package, wherever in its text."""
    known = modules(package)
    graph = {}
    for name, file in known.items():
        nodes = list(ast.walk(ast.parse(file.read_text())))
        named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                assert not node.level, f"{file} imports relatively"
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                named |= {path if path in known else str(node.module) for path in whole}
        graph[name] = named & known.keys() - {name}
    return graph


def circle(package: Path) -> list[str]:
    """A circle of modules, or nothing."""
    try:
        TopologicalSorter(imports(package)).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


@pytest.mark.parametrize("package", ["sw/sluice", "sim/golden/sluice_golden", "cocotb-tests/lib"])
def test_no_circle(package: str) -> None:
    assert len(imports(ROOT / package)) > 15
    assert circle(ROOT / package) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("from made import two\n")
    (package / "two.py").write_text("if 0:\n    from made.three import x\n")
    (package / "three.py").write_text("def f():\n    import made.one\n")
    assert sorted(set(circle(package))) == ["made.one", "made.three", "made.two"]


def rooms(package: Path) -> dict[str, set[str]]:
    """What each folder of a package imports of the others."""

    def room(module: str) -> str:
        return module.split(".")[1]

    graph: dict[str, set[str]] = {}
    for module, imported in imports(package).items():
        if "." in module:
            graph.setdefault(room(module), set()).update(room(other) for other in imported if "." in other)
    return {name: others - {name} for name, others in graph.items()}


def test_the_house_has_few_rooms_and_one_way_through() -> None:
    graph = rooms(ROOT / "sw/sluice")
    assert all((ROOT / "sw/sluice" / name).is_dir() for name in graph)
    assert len(graph) <= 12
    assert sum(len(others) for others in graph.values()) <= 40
    TopologicalSorter(graph).prepare()
