# SPDX-License-Identifier: Apache-2.0
"""Jinja templates of the report and of the generated reference pages."""

from __future__ import annotations

from typing import Any

import jinja2

_environment = jinja2.Environment(
    loader=jinja2.PackageLoader("sluice.support", "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=jinja2.select_autoescape(["html.j2"]),
    trim_blocks=False,
    keep_trailing_newline=True,
)
_environment.policies["json.dumps_kwargs"] = {"sort_keys": False}  # an order is part of what pages show


def render(name: str, **values: Any) -> str:
    """The template filled with the values; a value that it lacks is an error."""
    return _environment.get_template(name).render(**values)
