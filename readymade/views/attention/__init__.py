"""Attention weights as heat maps and as bertviz's interactive views."""

from readymade.views.attention.bertviz_views import head_view, model_view, neuron_view
from readymade.views.attention.encoder_vectors import vectors_of
from readymade.views.attention.heatmaps import heatmap, mask_picture

__all__ = "head_view heatmap mask_picture model_view neuron_view vectors_of".split()
