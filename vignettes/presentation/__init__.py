"""What the vignettes need to show figures and tables; no part of the package."""

from presentation.figures import BLUE, GREEN, GREY, ORANGE, RED, SKY, figure, tidy
from presentation.tables import bullets, show

__all__ = [
    "BLUE", "GREEN", "GREY", "ORANGE", "RED", "SKY", "bullets", "figure", "show", "tidy",
]  # fmt: skip
