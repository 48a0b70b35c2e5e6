# SPDX-License-Identifier: Apache-2.0
"""The directive `wavedrom`: a timing diagram in WaveJSON, drawn when the site is built."""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

import wavedrom
from docutils import nodes
from docutils.parsers.rst import Directive


class Wavedrom(Directive):
    """Its content is WaveJSON, its argument what the picture shows, for who cannot see it."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """The drawing as SVG within the page."""
        drawing = wavedrom.render("\n".join(self.content)).tostring()
        figure = f'<div class="wavedrom" role="img" aria-label="{escape(self.arguments[0])}">{drawing}</div>'
        return [nodes.raw("", figure, format="html")]


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.add_directive("wavedrom", Wavedrom)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
