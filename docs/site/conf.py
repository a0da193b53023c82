"""Configuration of Sphinx for the site; scripts/docs runs it on what stage.py has put together."""

import os
import re
import sys

site = os.path.dirname(os.path.abspath(__file__))
checkout = os.path.dirname(os.path.dirname(site))
sys.path.insert(0, site)

with open(os.path.join(checkout, "CMakeLists.txt"), encoding="utf-8") as file:
    version = re.search(r"\bVERSION (\d+\.\d+\.\d+)", file.read()).group(1)

project = "Evenkeel"
copyright = "the authors of Evenkeel"
release = version
extensions = ["myst_parser", "sphinx_copybutton", "console", "reference"]
source_suffix = {".md": "markdown"}

myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages may begin more than one part with a title

ek_checkout = checkout
ek_headers = os.path.join(checkout, "build/docs/source/headers.txt")

highlight_language = "text"
html_theme = "furo"
html_title = f"Evenkeel {version}"
html_static_path = [os.path.join(site, "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "native"
copybutton_prompt_text = "$ "
