"""Pictures of attention, of masks and of models, for either framework.

Importing this package loads neither framework; the first figure loads matplotlib.
"""

from scratch.views.figures import COLORS, TENSORFLOW, TORCH, figure_style

__all__ = ["COLORS", "TENSORFLOW", "TORCH", "figure_style"]
