# SPDX-License-Identifier: Apache-2.0
"""The site that `make site` builds of docs/ and of the pages in the top folder: nothing in it needs the internet."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

project = "Sluice"
author = "The Sluice authors"
html_title = "Sluice"

extensions = ["myst_parser", "links", "waves", "atlas_explorer"]
exclude_patterns = ["site"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a generated page may begin at the second level

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "default"
pygments_dark_style = "native"
