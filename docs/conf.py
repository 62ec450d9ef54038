"""How Sphinx builds the site: `make docs`. Nothing here or on the pages needs a network."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "extensions"), str(DOCS.parent)]

from pywbms import __version__  # noqa: E402

project = "pywbms"
author = "The pywbms developers"
copyright = "The pywbms developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "gallery", "pkgdown"]
nitpicky = True

# Markdown
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# Formulas are MathML, see extensions/mathml.py.
html_math_renderer = "mathml"

# The reference
autosummary_generate = True
autodoc_typehints = "signature"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
# GL08: there is no docstring; PR02: it has a parameter that does not exist.
numpydoc_validation_checks = {"GL08", "PR02"}
# Names of other projects, whose sites a build without a network cannot look up, and classes that
# users are handed but do not make: their fields are described where they are returned.
nitpick_ignore_regex = [
    (r"py:.*", r"(numpy|pandas|scipy|sklearn|matplotlib|dask|distributed|collections)\..*"),
    (r"py:.*", r"(os|pathlib|typing)\..*"),
    (r"py:class", r"ArrayLike|Axes|Figure|Fitted"),
    (r"py:class", r"pywbms\._.*|pywbms\.theory\.(hull|paths|weights)\..*"),
]

# The gallery: scripts whose pictures are made at build time.
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pictures",
    "filename_pattern": r"\.py",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "image_srcset": ["2x"],
    "remove_config_comments": True,
}

# The look
html_theme = "pydata_sphinx_theme"
html_title = "pywbms"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
# A summary of each hit would be fetched, which browsers forbid for pages opened from a disk.
html_show_search_summary = False
# Pages that have no others below them need no navigation beside them.
ALONE = ("index", "install", "which-method", "r-reference", "erratum", "changelog")
html_sidebars = {name: [] for name in ALONE}
html_theme_options = {
    "logo": {"text": "pywbms"},
    "navbar_align": "left",
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
