"""bertviz's three views, for the attention of either framework."""

from scratch.views.arrays import as_layers
from scratch.views.document import build_document
from scratch.views.figures import as_png
from scratch.views.frame import AttentionView
from scratch.views.heatmaps import draw_vectors, heatmap
from scratch.views.selection import place_of, select

import numpy as np

# Begin with the vectors unfolded, and with the second token pointed at: the first is
# often a special one.
_EXPAND_JS = """\
const send = (node, event) => node.dispatchEvent(new Event(event));
send(document.querySelector("#collapsed #leftText > g > rect:last-child"), "click");
const tokens = document.querySelectorAll("#expanded #leftText > g");
send(tokens[1] || tokens[0], "mouseover");
"""


def head_view(
    weights,
    tokens,
    key_tokens=None,
    *,
    sentence_b_start=None,
    layers=None,
    heads=None,
    layer=None,
    head=None,
    title=None,
):
    """Show who looks at whom in one layer, a colour for each head.

    Args:
        weights: of either framework or NumPy: one layer or a list of layers, each
            (batch, heads, queries, keys) with a batch of 1.
        tokens: the tokens that ask, one for each query.
        key_tokens: the tokens looked at, one for each key (cross-attention); None:
            `tokens`.
        sentence_b_start: where the second sentence of a pair begins; a menu then
            chooses between the sentences.
        layers, heads: an index or indices to include; None: all.
        layer: the layer shown first; None: the first of `layers`.
        head: the head that is switched on at first; None: all.
        title: what a screen reader calls the view.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: an argument is not as above; the error names it.
    """
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    layer = shown.layers[0] if layer is None else layer
    place = place_of(layer, shown.layers, "layer")
    active = None if head is None else [place_of(head, shown.heads, "head")]
    title = title or f"Attention by head: {shown.text}"
    size = (max(335, 20 * len(shown.heads)), 22.5 * _longest(shown) + 30)
    first, last = shown.heads[0], shown.heads[-1]
    document, size = build_document(
        "head_view",
        title,
        [
            f"Squares: heads {first} to {last}. Click to switch one,",
            "double-click for one alone. Point at a token to",
            "see where it looks.",
        ],
        {"layer": "Layer"},
        size,
        shown,
        {"layer": layer, "heads": active, "include_layers": shown.layers},
    )
    chosen = active or range(len(shown.heads))
    picture = heatmap(
        [shown.weights[place][list(chosen)]],
        shown.query_tokens,
        shown.key_tokens,
        head_numbers=[shown.heads[i] for i in chosen],
        title=f"Layer {layer}",
    )
    alt = (
        f"Heat maps of layer {layer}, one for each head: every token (rows) "
        f"looks at every token (columns). Tokens: {shown.text}."
    )
    return AttentionView(
        f"Head view: {shown.size}",
        title,
        document,
        size,
        as_png(picture),
        alt,
    )


def model_view(
    weights,
    tokens,
    key_tokens=None,
    *,
    sentence_b_start=None,
    layers=None,
    heads=None,
    title=None,
):
    """Show all heads of all layers at once, as a table of small drawings.

    Args: as for `head_view`.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: an argument is not as above; the error names it.
    """
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    title = title or f"Attention of the whole model: {shown.text}"
    # bertviz's measures. With fewer columns than this a drawing would fill the page.
    columns = max(len(shown.heads), 6)
    drawing = 7 * 12 / columns * _longest(shown) + 10
    detail = 18 * _longest(shown) + 55
    size = (970, max(len(shown.layers) * drawing + 38, detail))
    document, size = build_document(
        "model_view",
        title,
        ["Click a drawing to see that head close by, and again to put it back."],
        {},
        size,
        shown,
        {
            "display_mode": "light",
            "include_layers": shown.layers,
            "include_heads": shown.heads,
            "total_heads": columns,
        },
    )
    picture = heatmap(
        list(shown.weights),
        shown.query_tokens,
        shown.key_tokens,
        layer_numbers=shown.layers,
        head_numbers=shown.heads,
    )
    alt = (
        f"Heat maps of every layer (from top to bottom) and head (from left to right): "
        f"every token looks at every token. Tokens: {shown.text}."
    )
    return AttentionView(
        f"Model view: {shown.size}",
        title,
        document,
        size,
        as_png(picture),
        alt,
    )


def neuron_view(
    queries,
    keys,
    tokens,
    key_tokens=None,
    *,
    weights=None,
    sentence_b_start=None,
    layers=None,
    heads=None,
    layer=None,
    head=None,
    title=None,
):
    """Show how queries and keys, multiplied and summed, become the weights.

    Args:
        queries: the projected query vectors: one layer or a list of layers, each
            (batch, heads, queries, d_k) with a batch of 1.
        keys: the projected key vectors, (batch, heads, keys, d_k), likewise.
        weights: the attention weights; None: softmax(queries · keys / √d_k), which is
            right where nothing was masked.
        tokens, key_tokens, sentence_b_start, layers, heads: as for `head_view`.
        layer, head: shown first; None: the first of `layers` and of `heads`.
        title: what a screen reader calls the view.

    Returns:
        An `AttentionView`, which a notebook shows.

    Raises:
        TypeError, ValueError: an argument is not as above; the error names it.
    """
    queries, keys = _as_vectors(queries, keys)
    if weights is None:
        weights = list(_softmax(queries @ keys.swapaxes(-1, -2), queries.shape[-1]))
    shown = select(weights, tokens, key_tokens, sentence_b_start, layers, heads)
    wanted = queries.shape[:3] + keys.shape[2:3]
    given = (*np.shape(as_layers(weights))[:2], *shown.weights.shape[2:])
    if given != wanted:
        raise ValueError(
            f"weights have (layers, heads, queries, keys) {given}: queries and keys "
            f"want {wanted}."
        )
    chosen = np.ix_(shown.layers, shown.heads)
    queries, keys = queries[chosen], keys[chosen]
    layer = shown.layers[0] if layer is None else layer
    head = shown.heads[0] if head is None else head
    i = place_of(layer, shown.layers, "layer")
    j = place_of(head, shown.heads, "head")
    title = title or f"Queries, keys and attention: {shown.text}"
    size = (1004, 26 * _longest(shown) + 50)
    document, size = build_document(
        "neuron_view",
        title,
        [
            "Point at a token on the left to see how its query meets each key. Blue is "
            "positive, orange negative; the minus sign hides the vectors.",
        ],
        {"layer": "Layer", "att_head": "Head"},
        size,
        shown,
        {
            "display_mode": "light",
            "bidirectional": not _looks_only_back(shown.weights),
            "layer": i,
            "head": j,
        },
        (queries, keys),
        _EXPAND_JS,
    )
    picture = draw_vectors(
        queries[i, j],
        keys[i, j],
        shown.weights[i, j],
        shown.query_tokens,
        shown.key_tokens,
        f"Layer {layer}, head {head}",
    )
    alt = (
        f"Heat maps of layer {layer}, head {head}: the query vectors, the key vectors "
        f"and the attention weights. Tokens: {shown.text}."
    )
    return AttentionView(
        f"Neuron view: {shown.size}, vectors of {queries.shape[-1]}",
        title,
        document,
        size,
        as_png(picture),
        alt,
    )


def _longest(shown):
    return max(len(shown.query_tokens), len(shown.key_tokens))


def _as_vectors(queries, keys):
    """Return queries and keys as (layers, heads, length, d_k)."""
    queries, keys = as_layers(queries, "queries"), as_layers(keys, "keys")
    for i, (query, key) in enumerate(zip(queries, keys, strict=False)):
        if (query.shape[0], query.shape[2]) != (key.shape[0], key.shape[2]):
            raise ValueError(
                f"queries[{i}] has shape {query.shape} and keys[{i}] {key.shape}: "
                f"heads (first) and d_k (last) must be equal."
            )
    if len(queries) != len(keys):
        raise ValueError(
            f"queries has {len(queries)} layers and keys {len(keys)}: give both of "
            f"the same layers."
        )
    return np.stack(queries), np.stack(keys)


def _softmax(scores, d_k):
    scores = scores / np.sqrt(d_k)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _looks_only_back(weights):
    """Tell whether no query looks at a later key, as under a causal mask."""
    queries, keys = weights.shape[2:]
    return 1 < queries == keys and not np.triu(weights, k=1).any()
