"""The architecture of a model as an SVG drawing."""

from scratch.views.diagrams.models import Diagram, diagram

__all__ = ["Diagram", "diagram"]
