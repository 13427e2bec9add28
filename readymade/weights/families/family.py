"""What a family of published models is: its tables, read in either direction."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from readymade.weights.rules import Recipe, Rule
from scratch.checks import require_at_least, require_choice, require_fraction
from scratch.config import TransformerConfig

# Their names for our activations. Where one has several, the first is written.
ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
# Our models that give each class a name.
CLASSIFIERS = ("SequenceClassifier", "TokenClassifier")
BUFFERS = {"embeddings.position_ids": "0, 1, 2, …: counted, not stored"}


@dataclass(frozen=True)
class Setting:
    """One line of a family's other table: a setting of config.json, and our field.

    `read(settings, theirs)` returns our value. It raises KeyError for a setting that is
    left out, and TypeError or ValueError that names it for a wrong one. `write(config,
    ours)` returns their value. None means the default for the field. Two settings of
    one field must agree.
    """

    theirs: str
    ours: str
    read: Callable | None = None
    write: Callable | None = None

    def value(self, settings):
        """Return our value of the setting."""
        read = self.read or READERS.get(self.ours, integer)
        return read(settings, self.theirs)

    def written(self, config):
        """Return their value of the setting."""
        write = self.write or WRITERS.get(self.ours, getattr)
        return write(config, self.ours)


def integer(settings, name, least=1):
    """Return a setting that must be an integer not below `least`."""
    require_at_least(name, settings[name], least)
    return settings[name]


def integer_from_0(settings, name):
    """Return a setting that must be an integer not below 0."""
    return integer(settings, name, least=0)


def integer_or_none(settings, name):
    """Return a setting that must be an integer not below 0, or null."""
    return None if settings[name] is None else integer_from_0(settings, name)


def pad_id(settings, name):
    """Return an id or None, which the first Llamas write as -1."""
    return None if settings[name] == -1 else integer_or_none(settings, name)


def fraction(settings, name):
    """Return a setting that must be a number from 0 up to but not including 1."""
    require_fraction(name, settings[name])
    return settings[name]


def flag(settings, name):
    """Return a setting that must be true or false."""
    require_choice(name, settings[name], (True, False))
    return settings[name]


def activation(settings, name):
    """Return our name for an activation."""
    # A list cannot be looked up in a dict: it is not hashable.
    require_choice(name, settings[name], list(ACTIVATIONS))
    return ACTIVATIONS[settings[name]]


def write_activation(config, name):
    """Return their name for an activation, or ours if they have none."""
    ours = getattr(config, name)
    names = (theirs for theirs, one in ACTIVATIONS.items() if one == ours)
    return next(names, ours)


# By our field; all others are integers, written as they are.
READERS = {
    "dropout": fraction,
    "layer_norm_eps": fraction,
    "activation": activation,
    "pad_id": pad_id,
    "scale_embeddings": flag,
}
WRITERS = {"activation": write_activation}


def require(settings, wanted):
    """Raise ValueError if a setting is present and our models do not support it."""
    for name, value in wanted.items():
        if settings.get(name, value) != value:
            raise ValueError(
                f"{name} is {settings[name]!r}: wanted {value!r}, "
                "the only one that the book's models can do"
            )


@dataclass(frozen=True)
class Head:
    """What a model of a family has beyond the body that all of them share.

    Args:
        model: our class.
        rules: the table of names beyond the body's.
        bare: whether it is the body alone, which is saved without prefix.
        pooled: whether it reads the pooler.
        fields, required, drops, repeats: as in a Family, for this head alone.
    """

    model: str
    rules: list[Rule] = field(default_factory=list)
    bare: bool = False
    pooled: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    required: dict[str, Any] = field(default_factory=dict)
    drops: dict[str, str] = field(default_factory=dict)
    repeats: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """The tables of one `model_type`, from which checkpoints are read and written.

    Args:
        kind: its `model_type`.
        settings: the settings of config.json that our config holds.
        defaults: the values of settings that a config.json leaves out, as in
            `transformers`.
        required: settings that must have these values.
        copies: settings that are written, but not read: {setting: our field}.
        fields: fields of our config that are the same in the whole family.
        rules: the table of names of the body.
        heads: {architecture: Head}; the first is the default.
        prefix: what may precede their names, and does precede the body's in a model
            with a head.
        place: where the body is in our model with a head.
        pooler: the activation of the pooler, if there is one.
        tokens: settings that are ids of special tokens: {setting: token}.
        tokenizer: the name of its tokenizer in `transformers`.
        drops: their modules that ours do not need, and why.
        repeats: their tensors that must equal another of them.
        constants: their tensors that must equal an attribute of our model.
        tied: more repeats, in a model whose output has the table of embeddings.
        aliases: second names of settings, which win: {second name: setting}.
    """

    kind: str
    settings: list[Setting]
    defaults: dict[str, Any]
    required: dict[str, Any]
    copies: dict[str, str]
    fields: dict[str, Any]
    rules: list[Rule]
    heads: dict[str, Head]
    prefix: str
    tokenizer: str
    place: str = ""
    pooler: str | None = None
    tokens: dict[str, str] = field(default_factory=dict)
    drops: dict[str, str] = field(default_factory=dict)
    repeats: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    tied: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def recipe(self, settings: dict, names: Iterable[str]) -> Recipe:
        """Return the Recipe for a config.json and the names of its tensors.

        Raises KeyError, TypeError or ValueError, each naming a setting.
        """
        settings = self.defaults | settings
        aliases = self.aliases.items()
        settings |= {one: settings[two] for two, one in aliases if two in settings}
        if settings.get("per_layer_config"):
            require(settings, {"per_layer_config": None})
        head = self.heads[architecture(settings, self.heads)]
        require(settings, self.required | head.required)
        fields = self.fields | head.fields
        for setting in self.settings:
            value = setting.value(settings)
            if fields.setdefault(setting.ours, value) != value:
                raise ValueError(
                    f"{setting.theirs} is {value!r}: wanted {fields[setting.ours]!r}, "
                    f"because the book's models have one {setting.ours}"
                )
        if head.pooled or any(name.endswith("pooler.dense.weight") for name in names):
            fields["pooler"] = self.pooler
        labels = label_names(settings) if head.model in CLASSIFIERS else []
        return Recipe(self, head, TransformerConfig(**fields), labels)

    def architectures(self, settings: dict, names: Iterable[str]) -> list[str] | None:
        """Return which of the heads a checkpoint has, by the names of its tensors.

        Some are published without a head, under the name of a model with one, and some
        with a head, under no name. In all other cases, config.json is right.
        """
        given = settings.get("architectures")
        short = {name.removeprefix(self.prefix) for name in names}
        rules = {name: head.rules for name, head in self.heads.items()}
        held = {
            name: sum(any(map(rule.path_for, short)) for rule in rules[name])
            for name in rules
        }
        if not given:
            whole = [name for name in rules if held[name] == len(rules[name])]
            return [max(whole, key=held.get)] if whole else given
        name = architecture(settings, self.heads)
        bare = [name for name, head in self.heads.items() if head.bare]
        return bare if bare and rules[name] and not held[name] else given

    def settings_for(
        self, config: TransformerConfig, name: str, labels: Iterable[str] = ()
    ) -> dict:
        """Return config.json, a dict, for our config and one of the architectures."""
        settings = {
            "model_type": self.kind,
            "architectures": [name],
            **self.required,
            **self.heads[name].required,
        }
        for theirs, ours in self.copies.items():
            settings[theirs] = getattr(config, ours)
        for setting in self.settings:
            settings[setting.theirs] = setting.written(config)
        if labels:
            settings["id2label"] = {str(i): label for i, label in enumerate(labels)}
            settings["label2id"] = {label: i for i, label in enumerate(labels)}
        return settings


def architecture(settings, known):
    """Return which of the `known` architectures it is; the first by default."""
    names = settings.get("architectures") or list(known)
    if not isinstance(names, list) or names[0] not in list(known):
        raise ValueError(
            f"architectures is {names!r}: wanted a list with one of {', '.join(known)}"
        )
    return names[0]


def label_names(settings):
    """Return the names of the classes; by default LABEL_0 and LABEL_1."""
    labels = settings.get("id2label")
    if not labels:
        count = integer({"num_labels": 2} | settings, "num_labels")
        return [f"LABEL_{i}" for i in range(count)]
    if not isinstance(labels, dict):
        raise ValueError(
            f"id2label is {labels!r}: wanted an object, a name for each id"
        )
    wanted = {str(i) for i in range(len(labels))}
    if labels.keys() != wanted:
        raise ValueError(f"id2label is {labels!r}: wanted the ids 0, 1, 2, …")
    return [labels[one] for one in sorted(labels, key=int)]
