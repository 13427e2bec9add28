"""What the families' config.json files have in common."""

from dataclasses import dataclass, field

from scratch.arguments import require_at_least, require_choice, require_fraction
from scratch.config import TransformerConfig
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


# Each raises KeyError for a setting that is left out, and TypeError or ValueError that
# names it for a wrong one. Whoever calls a recipe adds the name of the file.


def integer(settings, name, least=1):
    """Return a setting that must be an integer not below `least`."""
    require_at_least(name, settings[name], least)
    return settings[name]


def integer_or_none(settings, name, least=0):
    """Return a setting that must be an integer not below `least`, or null."""
    return None if settings[name] is None else integer(settings, name, least)


def fraction(settings, name):
    """Return a setting that must be a number from 0 up to but not including 1."""
    require_fraction(name, settings[name])
    return settings[name]


def flag(settings, name):
    """Return a setting that must be true or false."""
    require_choice(name, settings[name], (True, False))
    return settings[name]


def activation(settings, name):
    """Return our name of an activation."""
    # A list cannot be looked up in a dict, and would be a riddle there.
    require_choice(name, settings[name], list(ACTIVATIONS))
    return ACTIVATIONS[settings[name]]


def require(settings, **wanted):
    """Raise ValueError if a setting is there and is not what our models can do."""
    for name, value in wanted.items():
        if settings.get(name, value) != value:
            raise ValueError(
                f"{name} is {settings[name]!r}: wanted {value!r}, "
                "the only one that the book's models can do"
            )


def architecture(settings, known):
    """Return which of the `known` architectures it is; the first of them if unsaid."""
    names = settings.get("architectures") or list(known)
    if not isinstance(names, list) or names[0] not in list(known):
        raise ValueError(
            f"architectures is {names!r}: wanted a list with one of {', '.join(known)}"
        )
    return names[0]


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
    config = config | {"pooler": pooler if pooled else None, "output_bias": has_bias}
    return Recipe(
        model=head.model,
        config=TransformerConfig(**config),
        rules=head.rules + within("", place, encoder),
        prefix=prefix,
        arguments=classes(settings) if head.model == "SequenceClassifier" else {},
        drops=BUFFERS | head.drops,
        repeats=head.repeats,
    )


def classes(settings):
    """Return the number of classes; two if unsaid, as in transformers."""
    labels = settings.get("id2label")
    if not labels:
        return {"num_classes": integer({"num_labels": 2} | settings, "num_labels")}
    if not isinstance(labels, dict):
        raise ValueError(
            f"id2label is {labels!r}: wanted an object, a name for each id"
        )
    return {"num_classes": len(labels)}
