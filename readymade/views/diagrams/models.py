"""The architecture of a model as a picture, drawn from the model itself."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

from readymade.views.diagrams.canvas import MUTED, Canvas, Shape
from readymade.views.diagrams.columns import LEFT, SIDE, Column
from readymade.views.model_facts import (
    activation_name,
    class_names,
    count_parameters,
    linear_sizes,
    norm_name,
    short_count,
    table_sizes,
)

_BETWEEN = 70  # pixels between the encoder's and the decoder's container


@dataclass(repr=False)
class Diagram:
    """A drawing that a notebook shows as SVG.

    Attributes:
        summary: the picture in words, for plain text.
        svg: the whole picture, with a title and a description for screen readers.
        shapes: its boxes, labels and lines, one after the other.
    """

    summary: str
    svg: str
    shapes: list[Shape]

    def __repr__(self):
        return self.summary

    def _repr_svg_(self):
        return self.svg

    def redrawn(self, change: Callable[[Shape], str]) -> str:
        """Return the SVG with each Shape as `change` draws it."""
        shapes = "".join(shape.svg for shape in self.shapes)
        return self.svg.replace(shapes, "".join(map(change, self.shapes)))


def diagram(model: object) -> Diagram:
    """Draw a model's architecture, bottom to top, as the paper's figure 1 does.

    Everything is read off the model: the order of layer norm and sublayer, the number
    of layers, the sizes, the kind of positions, the parameters.

    Args:
        model: a model of `scratch.torch` or `scratch.tensorflow`, or of a class derived
            from one: AttentionHead, MultiHeadAttention, GroupedQueryAttention,
            FeedForward, Embeddings, EncoderLayer, Encoder, DecoderLayer, Decoder,
            CausalLanguageModel, SequenceClassifier, TokenClassifier,
            MaskedLanguageModel, NextSentence, SpanExtractor or Transformer.

    Returns:
        A `Diagram`, which a notebook shows.

    Raises:
        TypeError: when the model is none of these.

    Source: Vaswani et al. 2017, figure 1.
    """
    name = next((one for one in class_names(model) if one in _DRAWERS), None)
    try:
        canvas = Canvas()
        description = _DRAWERS[name](canvas, model)
    except (AttributeError, KeyError) as error:
        # No class of ours, or one of the same name that is built in another way.
        one = type(model)
        raise TypeError(
            f"model is a {one.__module__}.{one.__qualname__}: wanted a model of "
            f"scratch, one of {', '.join(_DRAWERS)}"
        ) from error
    description = f"{description}, {count_parameters(model):,} parameters"
    title = type(model).__name__
    svg = canvas.svg(title, description)
    return Diagram(f"{title}. {description}", svg, canvas.shapes)


def _draw_projections(canvas, attention, num_heads):
    """Draw query, key and value on their way into the attention of the heads."""
    apart = 200  # pixels between two columns
    for place, name in enumerate(("query", "key", "value")):
        d_in, d_out = linear_sizes(getattr(attention, name))
        heads = _kv_heads(attention) if name != "query" else num_heads
        column = Column(canvas, (place - 1) * apart)
        length = "queries" if name == "query" else "keys"
        column.start(name, f"(batch, {length}, {d_in:,})")
        split = f"{heads} × {d_out // heads:,}" if num_heads > 1 else f"{d_out:,}"
        column.box("linear", "Linear", f"{d_in:,} → {split}", width=160)
        column.arrow(24)
    d_k = linear_sizes(attention.query)[1] // num_heads
    column = Column(canvas, 0, column.y)
    column.put(
        "attention",
        "Scaled dot-product attention",
        f"weights = softmax(query · keyᵀ / √{d_k:,}),  output = weights · value",
        width=2 * apart + 160,
        cards=num_heads,
    )
    if num_heads > 1:
        side = apart + 80 + 5 * min(num_heads, 4)
        canvas.text(side, column.y + 32, f"× {num_heads}", 22, 300, anchor="start")
        column.y -= 5 * (min(num_heads, 4) - 1)
    return column


def _draw_attention_head(canvas, head):
    column = _draw_projections(canvas, head, num_heads=1)
    d_v = linear_sizes(head.value)[1]
    column.end("output", f"(batch, queries, {d_v:,})")
    d_k = linear_sizes(head.query)[1]
    return f"One attention head: queries and keys of {d_k}, values of {d_v}"


def _draw_multi_head(canvas, attention):
    heads = attention.num_heads
    column = _draw_projections(canvas, attention, heads)
    d_in, d_out = linear_sizes(attention.projection)
    column.box("linear", "Linear", f"heads side by side: {d_in:,} → {d_out:,}")
    column.end("output", f"(batch, queries, {d_out:,})")
    return f"{heads} heads with {_head_sizes(attention)}, projected to {d_out}"


def _draw_feed_forward(canvas, layer):
    d_model, d_ff = linear_sizes(layer.expand)
    column = Column(canvas, 0)
    column.start("x", f"(batch, length, {d_model:,})")
    column.box("linear", "Linear", f"{d_model:,} → {d_ff:,}")
    column.box("feed_forward", activation_name(layer.activation))
    column.box("linear", "Linear", f"{d_ff:,} → {d_model:,}")
    column.end("x", f"(batch, length, {d_model:,})")
    return f"Each position on its own: {d_model} to {d_ff} and back"


def _draw_embeddings(canvas, embeddings):
    column = Column(canvas, 0)
    description = _add_embeddings(column, embeddings, "ids")
    column.end("x", f"(batch, length, {table_sizes(embeddings.tokens)[1]:,})")
    return description


def _draw_layer(canvas, layer):
    column = Column(canvas, 0)
    d_model = linear_sizes(layer.self_attention.query)[0]
    column.start("x", f"(batch, length, {d_model:,})")
    bottom = column.y
    entry = _add_layer(column, layer)
    column.contain(bottom, None, 1)
    column.end("x", f"(batch, length, {d_model:,})")
    if entry is not None:
        x, y = entry
        canvas.line((x - 60, y), (x, y), head=False)
        canvas.text(x - 66, y - 2, "memory", weight=600, anchor="end")
        shape = f"(batch, source length, {d_model:,})"
        canvas.text(x - 66, y + 14, shape, 11.5, color=MUTED, anchor="end")
    return _layer_words(layer)


def _draw_stack(canvas, stack):
    column = Column(canvas, 0)
    description, entry = _add_stack(column, stack, "ids", -1)
    d_model = table_sizes(stack.embeddings.tokens)[1]
    if entry is not None:
        x, y = entry
        canvas.line((x - 60, y), (x, y), head=False)
        canvas.text(x - 66, y + 4, "memory", weight=600, anchor="end")
    column.end("hidden", f"(batch, length, {d_model:,})")
    return description


def _draw_language_model(canvas, model):
    column, description = _start_stack(canvas, model.decoder)
    return description + _add_logits(column, model.logits, model.decoder.embeddings)


def _draw_classifier(canvas, model):
    column, description = _start_stack(canvas, model.encoder)
    d_model, num_classes = linear_sizes(model.classifier)
    pooler = model.encoder.pooler
    if pooler is None:
        column.box("linear", "First token")
    else:
        name = activation_name(pooler.activation)
        column.box("linear", "First token, pooled", f"Linear, {d_model:,}, {name}")
    column.box("output", "Linear", f"{d_model:,} → {num_classes:,}")
    column.end("logits", f"(batch, {num_classes:,})")
    return f"{description}; the first token's vector gives {num_classes} logits"


def _draw_token_classifier(canvas, model):
    column, description = _start_stack(canvas, model.encoder)
    d_model, num_classes = linear_sizes(model.classifier)
    column.box("output", "Linear", f"{d_model:,} → {num_classes:,}")
    column.end("logits", f"(batch, length, {num_classes:,})")
    return f"{description}; each vector gives {num_classes} logits"


def _draw_masked_language_model(canvas, model):
    column, description = _start_stack(canvas, model.encoder)
    d_in, d_out = linear_sizes(model.transform)
    name = activation_name(model.activation)
    column.box("linear", "Linear", f"{d_in:,} → {d_out:,}, {name}")
    column.box("norm", norm_name(model.norm))
    description += "; each vector is transformed and normalized"
    return description + _add_logits(column, model.logits, model.encoder.embeddings)


def _draw_span_extractor(canvas, model):
    column, description = _start_stack(canvas, model.encoder)
    d_model, ends = linear_sizes(model.ends)
    column.box("output", "Linear", f"{d_model:,} → {ends}: first and last")
    column.end("logits", f"{ends} × (batch, length)")
    return f"{description}; {ends} logits for each position, as first and as last"


def _draw_transformer(canvas, model):
    left, right = Column(canvas, 0), Column(canvas, LEFT + SIDE + _BETWEEN)
    encoder, _ = _add_stack(left, model.encoder, "source ids", -1)
    decoder, (x, y) = _add_stack(right, model.decoder, "target ids", 1)
    # The encoder's output runs between the stacks to the decoder's cross-attention.
    left.rise(26)
    between = SIDE + _BETWEEN / 2
    canvas.line((0, left.y), (between, left.y), (between, y), (x, y), head=False)
    canvas.text(between / 2, left.y - 8, "memory", weight=600)
    logits = _add_logits(right, model.logits, model.decoder.embeddings)
    return f"Encoder: {encoder}. Decoder: {decoder}{logits}"


def _add_logits(column, logits, embeddings):
    rows, d_model = table_sizes(logits.tokens)
    tied = logits.tokens is embeddings.tokens
    table = "with the embeddings" if tied else "with a table of its own"
    column.box("output", "Logits of all tokens", f"{d_model:,} → {rows:,}, {table}")
    column.end("logits", f"(batch, length, {rows:,})")
    return f"; {rows:,} logits for each position, {table}"


def _start_stack(canvas, stack):
    """Draw the stack that a head is put on; return its column and its words."""
    column = Column(canvas, 0)
    return column, _add_stack(column, stack, "ids", -1)[0]


def _add_stack(column, stack, ids, side):
    """Draw embeddings, layers and final norm; return the words and memory's entry."""
    words = _add_embeddings(column, stack.embeddings, ids)
    column.rise(14)
    bottom = column.y
    entry = _add_layer(column, stack.layers[0])
    column.contain(bottom, f"× {len(stack.layers)}", side)
    column.y -= 12
    if stack.norm is not None:
        column.box("norm", norm_name(stack.norm))
    count = f"{len(stack.layers)} layer{'s' if len(stack.layers) > 1 else ''}"
    return f"{words}. {count}, in each: {_layer_words(stack.layers[0])}", entry


def _add_embeddings(column, embeddings, ids):
    rows, d_model = table_sizes(embeddings.tokens)
    column.start(ids, "(batch, length)")
    scaled = f", times √{d_model:,}" if embeddings.scale != 1 else ""
    column.box("embedding", "Token embeddings", f"{rows:,} × {d_model:,}{scaled}")
    words = f"Embeddings of {rows:,} tokens"
    if embeddings.positions is not None:
        learned = "LearnedPositions" in class_names(embeddings.positions)
        name = "learned" if learned else "sinusoidal"
        column.side_sum("Positions", name)
        words += f" and {name} positions"
    if embeddings.segments is not None:
        count = table_sizes(embeddings.segments)[0]
        column.side_sum("Segments", f"{count} × {d_model:,}")
        words += f" and {count} segments"
    if embeddings.norm is not None:
        column.box("norm", norm_name(embeddings.norm))
        words += ", normalized"
    return words


def _add_layer(column, layer):
    """Draw a layer's sublayers; return where its memory must arrive, or None."""
    entry = None
    column.rise(12)
    causal = "DecoderLayer" in class_names(layer)
    name = "Causal self-attention" if causal else "Self-attention"
    if getattr(layer.self_attention, "frequency", None) is not None:
        name += ", rotary"
    with _residual(column, layer.self_attention_norm):
        column.self_attention(name, _attention_detail(layer.self_attention))
    if getattr(layer, "cross_attention", None) is not None:
        with _residual(column, layer.cross_attention_norm):
            detail = _attention_detail(layer.cross_attention)
            entry = column.cross_attention("Cross-attention", detail)
    with _residual(column, layer.feed_forward_norm):
        d_model, d_ff = linear_sizes(layer.feed_forward.expand)
        count = short_count(count_parameters(layer.feed_forward))
        title = f"Feed-forward, {_activation_of(layer.feed_forward)}"
        sizes = f"{d_model:,} → {d_ff:,} → {d_model:,} · {count} parameters"
        column.box("feed_forward", title, sizes)
    return entry


@contextmanager
def _residual(column, add_and_norm):
    """Draw a residual connection, with its layer norm, around what is drawn inside."""
    column.rise(10)
    start = column.y
    if add_and_norm.norm_first:
        column.box("norm", norm_name(add_and_norm.norm))
    yield
    column.residual_sum(start)
    if not add_and_norm.norm_first:
        column.box("norm", norm_name(add_and_norm.norm))


def _head_sizes(attention):
    d_k = linear_sizes(attention.query)[1] // attention.num_heads
    d_v = linear_sizes(attention.value)[1] // _kv_heads(attention)
    return f"d_k {d_k}" if d_k == d_v else f"d_k {d_k}, d_v {d_v}"


def _kv_heads(attention):
    """Return the number of heads of keys and values; AttentionHead is one head."""
    return getattr(attention, "num_kv_heads", getattr(attention, "num_heads", 1))


def _attention_detail(attention):
    heads = f"{attention.num_heads} head{'s' if attention.num_heads > 1 else ''}"
    shared = _kv_heads(attention) != attention.num_heads
    # There is no room for both.
    more = f"{_kv_heads(attention)} of keys" if shared else _head_sizes(attention)
    return f"{heads}, {more} · {short_count(count_parameters(attention))} parameters"


def _activation_of(feed_forward):
    """Return the name of the activation, SwiGLU for a gated layer."""
    if "GatedFeedForward" in class_names(feed_forward):
        return "SwiGLU"
    return activation_name(feed_forward.activation)


def _layer_words(layer):
    sublayers = ["self-attention", "feed-forward"]
    if getattr(layer.self_attention, "frequency", None) is not None:
        sublayers[0] = "self-attention with rotary positions"
    if getattr(layer, "cross_attention", None) is not None:
        sublayers.insert(1, "cross-attention")
    if "DecoderLayer" in class_names(layer):
        sublayers[0] = f"causal {sublayers[0]}"
    sublayers[0] = sublayers[0].capitalize()
    order = "before" if layer.feed_forward_norm.norm_first else "after"
    name = norm_name(layer.feed_forward_norm.norm)
    name = name if name == "RMSNorm" else name.lower()
    return (
        f"{', '.join(sublayers[:-1])} and {sublayers[-1]}, "
        f"{name} {order} each, with residual connections"
    )


_DRAWERS = {
    "AttentionHead": _draw_attention_head,
    "MultiHeadAttention": _draw_multi_head,
    "GroupedQueryAttention": _draw_multi_head,
    "FeedForward": _draw_feed_forward,
    "Embeddings": _draw_embeddings,
    "EncoderLayer": _draw_layer,
    "Encoder": _draw_stack,
    "DecoderLayer": _draw_layer,
    "Decoder": _draw_stack,
    "CausalLanguageModel": _draw_language_model,
    "SequenceClassifier": _draw_classifier,
    "TokenClassifier": _draw_token_classifier,
    "NextSentence": _draw_classifier,
    "MaskedLanguageModel": _draw_masked_language_model,
    "SpanExtractor": _draw_span_extractor,
    "Transformer": _draw_transformer,
}
