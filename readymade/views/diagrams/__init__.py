"""The architecture of a model as an SVG drawing."""

from readymade.views.diagrams.models import Diagram, diagram

__all__ = ["Diagram", "diagram"]
