"""bertviz's three views, for the attention of either framework."""

from __future__ import annotations

from collections.abc import Sequence

from readymade.views.attention.attention_view import AttentionView
from readymade.views.attention.bertviz_page import Drawn, build_document
from readymade.views.attention.heatmaps import draw_vectors, heatmap
from readymade.views.attention.inputs import as_layers
from readymade.views.attention.selection import place_of, select
from readymade.views.figures import PADDING, as_png, panels
from readymade.views.softmax import softmax

import numpy as np
from numpy.typing import ArrayLike


def head_view(
    weights: ArrayLike | Sequence[ArrayLike],
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    sentence_b_start: int | None = None,
    layers: int | Sequence[int] | None = None,
    heads: int | Sequence[int] | None = None,
    layer: int | None = None,
    head: int | None = None,
    title: str | None = None,
) -> AttentionView:
    """Show the attention weights of one layer as lines, a colour for each head.

    Args:
        weights: of either framework or NumPy: one layer or a list of layers, each
            (batch, heads, queries, keys) with a batch of 1.
        tokens: one for each query.
        key_tokens: one for each key (cross-attention); None: `tokens`.
        sentence_b_start: the position where the second sentence of a pair begins; a
            menu then chooses between the sentences.
        layers: the index or indices of the layers to include; None: all.
        heads: the index or indices of the heads to include; None: all.
        layer: the layer shown first; None: the first of `layers`.
        head: the only head shown at first; None: all.
        title: the name of the view, for screen readers.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    layer = shown.layers[0] if layer is None else layer
    place = place_of(layer, shown.layers, "layer")
    active = None if head is None else [place_of(head, shown.heads, "head")]
    title = title or f"Attention by head: {shown.text}"
    usage = (
        "The buttons are heads: press one to hide or show it, twice (or with Shift) to "
        "see it alone. Point at a token, or choose it with the Tab and arrow keys, to "
        "see what it attends to."
    )
    params = {"layer": layer, "heads": active, "include_layers": shown.layers}
    document, extra, drawn = _head_view_page(shown, title, params)
    chosen = active or range(len(shown.heads))
    picture = heatmap(
        [shown.weights[place][list(chosen)]],
        shown.query_tokens,
        shown.key_tokens,
        head_numbers=[shown.heads[i] for i in chosen],
        title=f"Layer {layer}",
    )
    alt = (
        f"Heat maps of layer {layer}, one for each head: how much each token (row) "
        f"attends to each token (column). Tokens: {shown.text}."
    )
    summary = f"Head view: {shown.size}"
    return AttentionView(
        summary, title, usage, document, drawn, extra, as_png(picture), alt
    )


def _head_view_page(shown, title, params):
    height, tall = (row * shown.length + 8 for row in (25, 28))
    drawn = Drawn(335, 335, height, tall, 0.9, 540)
    menus = {"layer": "Layer"}
    return *build_document("head_view", title, menus, drawn, shown, params), drawn


def empty_head_view(num_layers: int, num_heads: int) -> str:
    """Return the page of a `head_view` that shows what the page around it provides.

    As `build_document` describes it.
    """
    weights = [np.zeros((1, num_heads, 2, 2))] * num_layers
    shown = select(weights, ["a", "b"], None, None, None, None)
    return _head_view_page(shown, f"Attention by head: {shown.text}", None)[0]


def model_view(
    weights: ArrayLike | Sequence[ArrayLike],
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    sentence_b_start: int | None = None,
    layers: int | Sequence[int] | None = None,
    heads: int | Sequence[int] | None = None,
    title: str | None = None,
) -> AttentionView:
    """Show the attention weights of all heads of all layers, as a table of drawings.

    Args:
        weights, tokens, key_tokens, sentence_b_start, layers, heads, title: as for
            `head_view`.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    title = title or f"Attention of the whole model: {shown.text}"
    # bertviz's measures. With fewer columns than this a drawing would fill the page.
    columns = max(len(shown.heads), 6)
    drawing = 7 * 12 / columns * shown.length + 10
    detail = 18 * shown.length + 55
    height = round(max(len(shown.layers) * drawing + 38, detail))
    drawn = Drawn(970, 970, height, height, 0.6, 970)
    usage = "Press a drawing to enlarge that head, and once more to close it."
    params = {
        "display_mode": "light",
        "include_layers": shown.layers,
        "include_heads": shown.heads,
        "total_heads": columns,
    }
    document, extra = build_document("model_view", title, {}, drawn, shown, params)
    picture = heatmap(
        list(shown.weights),
        shown.query_tokens,
        shown.key_tokens,
        layer_numbers=shown.layers,
        head_numbers=shown.heads,
    )
    alt = (
        f"Heat maps of every layer (from top to bottom) and head (from left to right): "
        f"how much each token attends to each token. Tokens: {shown.text}."
    )
    summary = f"Model view: {shown.size}"
    return AttentionView(
        summary, title, usage, document, drawn, extra, as_png(picture), alt
    )


def neuron_view(
    queries: ArrayLike | Sequence[ArrayLike],
    keys: ArrayLike | Sequence[ArrayLike],
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    sentence_b_start: int | None = None,
    layers: int | Sequence[int] | None = None,
    heads: int | Sequence[int] | None = None,
    layer: int | None = None,
    head: int | None = None,
    title: str | None = None,
) -> AttentionView:
    """Show how the dot products of queries and keys become attention weights.

    Args:
        queries: the projected query vectors: one layer or a list of layers, each
            (batch, heads, queries, d_k) with a batch of 1.
        keys: the projected key vectors, (batch, heads, keys, d_k), likewise.
        tokens, key_tokens: as for `head_view`.
        weights: the attention weights; None: softmax(queries · keys / √d_k), which is
            right if nothing was masked.
        sentence_b_start, layers, heads, title: as for `head_view`.
        layer, head: those shown first; None: the first of `layers` and of `heads`.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    queries, keys = _as_vectors(queries, keys)
    if weights is None:
        scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
        weights = list(softmax(scores))
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    wanted = queries.shape[:3] + keys.shape[2:3]
    given = (*np.shape(as_layers(weights))[:2], *shown.weights.shape[2:])
    if given != wanted:
        raise ValueError(
            f"weights have shape {given}: wanted {wanted}, (layers, heads, queries, "
            f"keys) of the queries and keys"
        )
    chosen = np.ix_(shown.layers, shown.heads)
    queries, keys = queries[chosen], keys[chosen]
    layer = shown.layers[0] if layer is None else layer
    head = shown.heads[0] if head is None else head
    i = place_of(layer, shown.layers, "layer")
    j = place_of(head, shown.heads, "head")
    title = title or f"Queries, keys and attention: {shown.text}"
    height, tall = (row * shown.length + 50 for row in (26, 34))
    drawn = Drawn(1004, 447, height, tall, 0.72, 1004)
    usage = (
        "Point at a token on the left, or choose it with the Tab and arrow keys, to "
        "compare its query with each key. Blue is positive, orange negative."
    )
    menus = {"layer": "Layer", "att_head": "Head"}
    both_ways = not _looks_only_back(shown.weights)
    params = {
        "display_mode": "light",
        "bidirectional": both_ways,
        "layer": i,
        "head": j,
    }
    vectors = (queries, keys)
    document, extra = build_document(
        "neuron_view", title, menus, drawn, shown, params, vectors
    )
    matrices = queries[i, j], keys[i, j], shown.weights[i, j]
    name = f"Layer {layer}, head {head}"
    picture = draw_vectors(*matrices, shown.query_tokens, shown.key_tokens, name)
    cuts = panels(picture, PADDING)
    alt = (
        f"Heat maps of layer {layer}, head {head}: the query vectors, the key vectors "
        f"and the attention weights. Tokens: {shown.text}."
    )
    summary = f"Neuron view: {shown.size}, vectors of {queries.shape[-1]}"
    return AttentionView(
        summary, title, usage, document, drawn, extra, as_png(picture), alt, cuts
    )


def _as_vectors(queries, keys):
    """Return queries and keys as (layers, heads, length, d_k)."""
    queries, keys = as_layers(queries, "queries"), as_layers(keys, "keys")
    for i, (query, key) in enumerate(zip(queries, keys, strict=False)):
        if (query.shape[0], query.shape[2]) != (key.shape[0], key.shape[2]):
            raise ValueError(
                f"keys[{i}] has shape {key.shape}: wanted as many heads (first) and "
                f"the same d_k (last) as queries[{i}], {query.shape}"
            )
    if len(queries) != len(keys):
        raise ValueError(
            f"keys has {len(keys)} layers: wanted {len(queries)}, as many as queries"
        )
    return np.stack(queries), np.stack(keys)


def _looks_only_back(weights):
    """Return whether no query attends to a later key, as under a causal mask."""
    queries, keys = weights.shape[2:]
    return 1 < queries == keys and not np.triu(weights, k=1).any()
