"""Formulas as MathML, which browsers draw themselves: no script and no font from another host."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError


def to_mathml(source, display="inline"):
    r"""Return a formula as MathML.

    Parameters
    ----------
    source : str
        A formula of LaTeX.
    display : {"inline", "block"}

    Raises
    ------
    ExtensionError
        If a command of the formula is not known: it would be shown as text.
    """
    made = convert(source, display=display)
    if "\\" in made:
        raise ExtensionError(f"a command of this formula has no MathML: {source}")
    return made


def visit_inline(writer, node):
    """Write a formula in a line."""
    writer.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(writer, node):
    """Write a formula of its own, which can be scrolled where the window is narrow."""
    made = to_mathml(node.astext(), "block")
    writer.body.append(f'<div class="formula" tabindex="0">{made}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer `mathml`."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
