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
extensions = ["myst_parser", "sphinx_copybutton", "console"]
source_suffix = {".md": "markdown"}

myst_heading_anchors = 4

highlight_language = "text"
html_theme = "furo"
html_title = f"Evenkeel {version}"
html_static_path = [os.path.join(site, "static")]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1b5e8c",
        "color-brand-content": "#1b5e8c",
        "color-problematic": "#9c2f10",
        "color-api-overall": "#333",
    },
    # All of them, since Debian's Furo does not follow the setting of the browser by itself.
    "dark_css_variables": {
        "color-brand-primary": "#6cb2e8",
        "color-brand-content": "#6cb2e8",
        "color-problematic": "#f0a080",
        "color-foreground-primary": "#dcdee0",
        "color-foreground-secondary": "#aeb2b8",
        "color-foreground-muted": "#8e939a",
        "color-foreground-border": "#6a6e74",
        "color-background-primary": "#15181b",
        "color-background-secondary": "#1d2125",
        "color-background-hover": "#252a2f",
        "color-background-hover--transparent": "#252a2f00",
        "color-background-border": "#353a40",
        "color-background-item": "#454b52",
        "color-highlighted-background": "#0f3a5c",
        "color-highlight-on-target": "#3a3510",
        "color-api-overall": "#c8ccd0",
        "color-api-keyword": "#aeb2b8",
        "color-admonition-background": "#1a1d20",
        "color-card-background": "#1a1d20",
        "color-card-marginals-background": "#252a2f",
    },
}
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "native"
copybutton_prompt_text = "$ "
