"""Pictures of attention, of masks and of models, for either framework.

`attention` draws attention weights: heat maps, and bertviz's interactive views.
`diagrams` draws the architecture of a model. Importing this package loads neither
framework; the first figure loads matplotlib.
"""

from readymade.views.attention import (
    head_view,
    heatmap,
    mask_picture,
    model_view,
    neuron_view,
    vectors_of,
)
from readymade.views.diagrams import diagram
from readymade.views.figures import COLORS, TENSORFLOW, TORCH, as_svg, figure_style

__all__ = """
    COLORS TENSORFLOW TORCH as_svg diagram figure_style head_view heatmap mask_picture
    model_view neuron_view vectors_of
""".split()
