"""Attention weights as heat maps and as bertviz's interactive views."""

from scratch.views.attention.bertviz_views import head_view, model_view, neuron_view
from scratch.views.attention.encoder_vectors import vectors_of
from scratch.views.attention.heatmaps import heatmap, mask_picture

__all__ = "head_view heatmap mask_picture model_view neuron_view vectors_of".split()
