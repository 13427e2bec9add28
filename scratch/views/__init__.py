"""Pictures of attention, of masks and of models, for either framework.

Importing this package loads neither framework; the first figure loads matplotlib.
"""

from scratch.views.diagrams import diagram
from scratch.views.figures import COLORS, TENSORFLOW, TORCH, as_svg, figure_style
from scratch.views.heatmaps import heatmap, mask_picture
from scratch.views.interactive import head_view, model_view, neuron_view
from scratch.views.vectors import vectors_of

__all__ = [
    "COLORS",
    "TENSORFLOW",
    "TORCH",
    "as_svg",
    "diagram",
    "figure_style",
    "head_view",
    "heatmap",
    "mask_picture",
    "model_view",
    "neuron_view",
    "vectors_of",
]
