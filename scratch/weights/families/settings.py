"""What the families' config.json files have in common."""

from dataclasses import dataclass, field

from scratch.weights.rules import Recipe, Rule, within

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


BUFFERS = {"embeddings.position_ids": "0, 1, 2, …: counted, not stored"}


def activation(name):
    """Return our name of an activation."""
    if name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        raise ValueError(f"config.json asks for activation {name!r}: wanted {known}")
    return ACTIVATIONS[name]


def require(settings, **wanted):
    """Raise ValueError if a setting is there and is not what our models can do."""
    for name, value in wanted.items():
        if settings.get(name, value) != value:
            raise ValueError(
                f"config.json has {name} = {settings[name]!r}: wanted {value!r}, "
                "the only one that the book's models can do"
            )


def architecture(settings, known):
    """Return which of the `known` architectures it is; the first of them if unsaid."""
    name = (settings.get("architectures") or list(known))[0]
    if name not in known:
        raise ValueError(
            f"config.json has architecture {name!r}: wanted one of {', '.join(known)}"
        )
    return name


@dataclass(frozen=True)
class Head:
    """What stands on an encoder.

    model: our class. rules: the table of names beyond the encoder's. pooled: whether
    it reads the pooler. drops, repeats: as in a Recipe.
    """

    model: str
    rules: list[Rule] = field(default_factory=list)
    pooled: bool = False
    drops: dict[str, str] = field(default_factory=dict)
    repeats: dict[str, str] = field(default_factory=dict)


def encoder_recipe(settings, names, prefix, config, encoder, heads, pooler="tanh"):
    """Return the Recipe for an encoder, alone or with the head that it was saved with.

    names: of the checkpoint's tensors. encoder: the rules of the encoder alone. heads:
    {architecture: Head}. pooler: the activation of the pooler, if there is one.
    """
    head = heads[architecture(settings, heads)]
    pooled = head.pooled or any(name.endswith("pooler.dense.weight") for name in names)
    has_bias = head.model == "MaskedLanguageModel"
    place = "" if head.model == "Encoder" else "encoder"
    return Recipe(
        model=head.model,
        config=config | {"pooler": pooler if pooled else None, "output_bias": has_bias},
        rules=head.rules + within("", place, encoder),
        prefix=prefix,
        arguments=classes(settings) if head.model == "SequenceClassifier" else {},
        drops=BUFFERS | head.drops,
        repeats=head.repeats,
    )


def classes(settings):
    """Return the number of classes; two if unsaid, as in transformers."""
    labels = settings.get("id2label")
    return {"num_classes": len(labels) if labels else settings.get("num_labels", 2)}
