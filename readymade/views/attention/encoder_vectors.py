"""The query and key vectors inside an encoder, which its outputs do not show."""

from readymade.views.attention.inputs import as_array
from readymade.views.model_facts import class_names

import numpy as np


def vectors_of(
    encoder: object,
    ids: object,
    attention_mask: object | None = None,
    segment_ids: object | None = None,
) -> dict[str, list[np.ndarray]]:
    """Run an encoder and keep every layer's queries, keys and attention weights.

    The result is made for `neuron_view`::

        neuron_view(tokens=tokens, **vectors_of(encoder, ids), layers=[0, 1])

    Args:
        encoder: an Encoder of either framework, in evaluation mode.
        ids: as the encoder takes them, (batch, length).
        attention_mask: as the encoder takes it; None: padding is masked.
        segment_ids: as the encoder takes them.

    Returns:
        ``{"queries", "keys", "weights"}``, a list each, of one array for each
        layer: (batch, heads, length, d_k) twice, and (batch, heads, length, length).

    Raises:
        TypeError: when `encoder` is not an Encoder, or has rotary positions, grouped
            queries or QK-norm.
    """
    if "Encoder" not in class_names(encoder):
        raise TypeError(
            f"encoder is a {type(encoder).__name__}: wanted an Encoder or TFEncoder"
        )
    for layer in encoder.layers:
        if "MultiHeadAttention" not in (kinds := class_names(layer.self_attention)):
            raise TypeError(
                f"encoder attends with {kinds[0]}: wanted MultiHeadAttention, because "
                "its weights are products of what it projects"
            )
    if attention_mask is None and encoder.config.pad_id is not None:
        attention_mask = (ids != encoder.config.pad_id)[:, None, None, :]
    kept = {"queries": [], "keys": [], "weights": []}
    x = encoder.embeddings(ids, segment_ids)
    for layer in encoder.layers:
        attention = layer.self_attention
        y = layer.self_attention_norm.before(x)
        kept["queries"].append(_split(attention.query(y), attention.num_heads))
        kept["keys"].append(_split(attention.key(y), attention.num_heads))
        x, weights = layer(x, attention_mask)
        kept["weights"].append(as_array(weights, "weights"))
    return kept


def _split(projected, num_heads):
    array = as_array(projected, "projected")
    batch, length, width = array.shape
    split = array.reshape(batch, length, num_heads, width // num_heads)
    return split.transpose(0, 2, 1, 3)  # (batch, heads, length, d_k)
