"""The paper's Transformer as `diagram` reads it, from its config alone.

A drawing needs a model's parts and their sizes, no weights: no framework has to be
there. A test draws the model that chapter 9 builds, and finds the same.
"""

from types import SimpleNamespace


class Part:
    """A layer without weights.

    Attributes:
        shapes: of the parameters that it has beside those of its parts.
    """

    def __init__(self, shapes, attributes):
        self.shapes = [SimpleNamespace(shape=shape) for shape in shapes]
        vars(self).update(attributes)

    def parameters(self):
        """Return the parameters, each once, as PyTorch's modules do."""
        parameters = {id(one): one for one in self.shapes}
        for value in vars(self).values():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, Part):
                    parameters |= {id(one): one for one in part.parameters()}
        return parameters.values()


def part(kind, *shapes, **attributes):
    """Return a Part of the class that has this name in `scratch.torch`."""
    return type(kind, (Part,), {})(shapes, attributes)


def linear(d_in, d_out):
    sizes = {"in_features": d_in, "out_features": d_out}
    return part("Linear", (d_out, d_in), (d_out,), **sizes)


def add_and_norm(config):
    norm = part("LayerNorm", (config.d_model,), (config.d_model,))
    return part("AddAndNorm", norm=norm, norm_first=config.norm_first)


def attention(config):
    names = "query", "key", "value", "projection"
    parts = {name: linear(config.d_model, config.d_model) for name in names}
    return part("MultiHeadAttention", num_heads=config.num_heads, **parts)


def feed_forward(config):
    return part(
        "FeedForward",
        expand=linear(config.d_model, config.d_ff),
        contract=linear(config.d_ff, config.d_model),
        activation=SimpleNamespace(__name__=config.activation),
    )


def embedded(config):
    size = config.vocab_size, config.d_model
    return part(
        "Embeddings",
        tokens=part("Embedding", size, num_embeddings=size[0], embedding_dim=size[1]),
        positions=part("SinusoidalPositions"),
        scale=config.d_model**0.5,
        segments=None,
        norm=None,
    )


def stack(kind, config, embeddings, *kinds_of_attention):
    """Return an encoder or a decoder, each layer with these kinds of attention."""
    layers = []
    for _ in range(config.num_layers):
        parts = {name: attention(config) for name in kinds_of_attention}
        parts["feed_forward"] = feed_forward(config)
        norms = {f"{name}_norm": add_and_norm(config) for name in parts}
        layers.append(part(f"{kind}Layer", **parts, **norms))
    return part(kind, embeddings=embeddings, layers=layers, norm=None)


def paper_model(config):
    """Return the Transformer of a config that chooses what the paper does."""
    shared = embedded(config)
    encoder = stack("Encoder", config, shared, "self_attention")
    decoder = stack("Decoder", config, shared, "self_attention", "cross_attention")
    logits = part("TokenLogits", tokens=shared.tokens)
    return part("Transformer", encoder=encoder, decoder=decoder, logits=logits)
