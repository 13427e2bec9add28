"""Write one of our models as a checkpoint that `transformers` loads."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from readymade.weights.as_built import require_as_built, without_values
from readymade.weights.checkpoints import new_model, our_class
from readymade.weights.families import FAMILIES
from readymade.weights.families.family import CLASSIFIERS
from readymade.weights.families.vit import PictureFamily, picture_settings
from readymade.weights.parameters import (
    config_of,
    framework_of,
    is_torch,
    kind_of,
    parameters_of,
    patches_of,
    untied,
)
from readymade.weights.processors import FILE, PictureProcessor, processor_files
from readymade.weights.tokenizers.writing import (
    TOKENIZER_FILES,
    as_json,
    role,
    suits,
    tokenizer_files,
)
from scratch.checks import require_choice
from scratch.tokenization import Tokenizer

import numpy as np

WRITTEN = {"config.json", "generation_config.json", "model.safetensors", FILE}
MODELS = """
    Encoder MaskedLanguageModel NextSentence SequenceClassifier TokenClassifier
    SpanExtractor CausalLanguageModel Transformer
""".split()


def save_checkpoint(
    model: Any,
    tokenizer: Tokenizer | PictureProcessor | None,
    folder: str | Path,
    family: str | None = None,
    overwrite: bool = False,
) -> None:
    """Save a model and its tokenizer as files that `transformers` loads.

    Writes config.json, model.safetensors (float32) and the tokenizer's files. Loaded
    again, by `transformers` or `load_checkpoint`, the model computes the same and the
    tokenizer gives the same ids. If anything is wrong, nothing is written, and an
    earlier checkpoint stays as it is.

    Args:
        model: one of our models, in either framework: an Encoder, MaskedLanguageModel,
            NextSentence, SequenceClassifier, TokenClassifier, SpanExtractor,
            CausalLanguageModel or Transformer, whose config is that of a published
            family.
        tokenizer: its Tokenizer; None to save none. One that the library `tokenizers`
            reads suits any family but Marian, and is saved with all that
            tokenizer_config.json said, except the name of a class. Of our own, a Llama
            or Qwen takes byte-pair encoding. config.json names the end of a text as the
            tokenizer's files did; where they did not, `<|endoftext|>`, or no end where
            that is no token. For a model of pictures, its PictureProcessor; None is
            for square pictures, or if PatchEmbeddings know the size.
        folder: a folder that is empty or does not exist yet.
        family: "bert", "distilbert", "roberta", "xlm-roberta", "gpt2", "llama",
            "mistral", "qwen2", "qwen3", "marian" or "vit"; None for that of the
            checkpoint that it was loaded from, or else the first that suits the
            tokenizer and the model.
        overwrite: whether the folder may hold an earlier checkpoint, whose files are
            then removed. Other files are never touched: a folder that holds any is
            refused.

    Raises:
        FileExistsError: the folder holds files that may not be overwritten.
        TypeError: model is not one of our models.
        ValueError: no family has such a model, or the family's tokenizer is another;
            the fields that differ are named. Or a weight is NaN or infinite, or the
            model has LoRA that is not merged, or is not what its config builds: it has
            other layers, sizes, settings (dropout aside) or kinds of numbers.
    """
    folder = Path(folder)
    parameters = parameters_of(model)
    config = used_config(model)
    if lora := [path for path in parameters if ".base." in path]:
        raise ValueError(
            f"{lora[0].partition('.base.')[0]} is a layer of LoRA: wanted a linear "
            "layer, as after merge_lora"
        )
    new = new_like(model, parameters)
    require_as_built(model, new)
    arrays = {path: parameters[path].read() for path in untied(parameters_of(new))}
    for path, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{path} holds NaN or infinity: wanted numbers")
    family = family or getattr(model, "family", None)
    recipe, settings = recipe_and_settings(model, config, arrays, tokenizer, family)
    kind = settings["model_type"]
    files = {"config.json": as_json(settings)}
    generation = dict(getattr(model, "generation_settings", {}))
    if config.unwritten_ids:
        generation["bad_words_ids"] = [[token] for token in config.unwritten_ids]
    if generation:
        ids = {name: settings[name] for name in settings if name.endswith("token_id")}
        files["generation_config.json"] = as_json(generation | ids)
    if isinstance(tokenizer, PictureProcessor):
        files |= processor_files(tokenizer)
    elif tokenizer is not None:
        require_same_padding(tokenizer, config.pad_id, folder)
        sizes = config.vocab_size, config.max_len
        files |= tokenizer_files(tokenizer, FAMILIES[kind].tokenizer, *sizes)
    tensors = recipe.give(arrays)
    with replaced(folder, overwrite) as place:
        for name, content in files.items():
            (place / name).write_bytes(content)
        write_tensors(tensors, place / "model.safetensors")


def new_like(model, parameters):
    """Return a new model of the same class and config, without values."""
    config = config_of(model)
    sizes = []
    if kind_of(model) in CLASSIFIERS:
        weight = parameters.get("classifier.weight")
        sizes = [weight.shape[0] if weight else 1]
    precision = {} if is_torch(model) else {"dtype": model.dtype_policy}
    kind, patches = (kind_of(model), framework_of(model)), patches_of(model)
    with without_values(model):
        return new_model(*kind, config, sizes, patches, **precision)


def require_same_padding(tokenizer, pad_id, place):
    """Raise unless a tokenizer pads with the id that a model hides."""
    if None not in (pad_id, tokenizer.pad_id) and tokenizer.pad_id != pad_id:
        raise ValueError(
            f"the pad_id of the tokenizer is {tokenizer.pad_id}: wanted {pad_id}, the "
            f"pad_token_id of the model in {place}"
        )


def used_config(model):
    """Return a model's config, with what such a model ignores as in every family.

    A subclass of our models is refused: it may compute something else.
    """
    name = kind_of(model)
    if name not in MODELS or type(model) is not our_class(name, framework_of(model)):
        wanted = ", ".join(MODELS)
        raise TypeError(
            f"model is of type {type(model).__name__}: wanted one of {wanted}"
        )
    config = config_of(model)
    if config.positions != "sinusoidal":
        config = replace(config, interleaved=True)
    if config.positions != "rotary":
        config = replace(config, rotary_base=10_000.0, rotary_scaling=None)
    layers = config.num_decoder_layers or config.num_layers
    if config.window_layers == tuple(range(layers)):
        config = replace(config, window_layers=None)
    if config.num_kv_heads == config.num_heads:
        config = replace(config, num_kv_heads=None)
    if config.qkv_bias == config.bias:
        config = replace(config, qkv_bias=None)
    for size in ("d_k", "d_v"):
        if getattr(config, size) == config.d_model / config.num_heads:
            config = replace(config, **{size: None})
    if name == "Transformer":
        return replace(config, num_decoder_layers=layers, pooler=None)
    config = replace(config, num_decoder_layers=None)
    if name == "CausalLanguageModel":
        return replace(config, num_segments=0, pooler=None)
    config = replace(config, target_vocab_size=None, unwritten_ids=())
    config = replace(config, window=None, window_layers=None)
    if name == "MaskedLanguageModel":
        return config
    return replace(config, tie_output=True, output_bias=False)


def recipe_and_settings(model, config, arrays, tokenizer, family):
    """Return the Recipe and the config.json of a model; ValueError if it has none.

    Each config.json that it might have is read as `load_checkpoint` would read it: it
    is right if it gives the same config.
    """
    name = kind_of(model)
    labels, reasons = [], []
    if name in CLASSIFIERS:
        labels = labels_of(model, len(arrays["classifier.bias"]))
    patches = patches_of(model)
    for one in candidates(tokenizer, family, patches):
        for head_name, head in one.heads.items():
            if head.model != name:
                continue
            settings = one.settings_for(config, head_name, labels)
            if patches is not None:
                settings |= picture_settings(config, tokenizer, *patches)
            try:
                recipe = one.recipe(settings, arrays)
            except (TypeError, ValueError) as error:
                reasons.append(f"{head_name}: {error}")
                continue
            if wrong := differences(config, recipe, arrays):
                reasons.append(f"{head_name}: {'; '.join(wrong)}")
                continue
            vocab = getattr(tokenizer, "vocab", {})
            for setting, token in one.tokens.items():
                named = role(tokenizer, setting.removesuffix("_id"), token)
                settings[setting] = vocab.get(named)
            if ends := getattr(tokenizer, "eos_ids", ()):
                settings["eos_token_id"] = ends[0] if len(ends) == 1 else [*ends]
            return recipe, settings
    raise ValueError(
        f"no family of published models has this {name}:\n  "
        + "\n  ".join(reasons or [f"no model of {family or 'its tokenizer'} is one"])
    )


def labels_of(model, classes):
    """Return the names of a classifier's classes."""
    labels = getattr(model, "labels", [f"LABEL_{i}" for i in range(classes)])
    if not isinstance(labels, list | tuple) or len({*labels}) != classes:
        wanted = f"a list of {classes} different names"
        raise ValueError(f"labels is {labels!r}: wanted {wanted}")
    return [*labels]


def candidates(tokenizer, family, patches):
    """Return the families to try: the named one, or all; a tokenizer must suit them."""
    if family is not None:
        require_choice("family", family, [*FAMILIES])
    if isinstance(tokenizer, PictureProcessor) and patches is None:
        raise ValueError("tokenizer is a PictureProcessor: wanted one of texts")
    families = [
        one
        for one in FAMILIES.values()
        if family in (None, one.kind)
        and isinstance(one, PictureFamily) == (patches is not None)
        and (tokenizer is None or suits(tokenizer, one.tokenizer))
    ]
    if patches is not None and not families:
        given = tokenizer if family is None else repr(family)
        raise ValueError(f"{given} is for texts: wanted vit, and its PictureProcessor")
    if not families and tokenizer is None:
        raise ValueError(f"family is {family!r}: wanted one of texts")
    if not families:
        kind, special = type(tokenizer.model).__name__, tokenizer.special
        raise ValueError(
            f"tokenizer is {kind} with {special}: wanted the vocabulary and the "
            f"special tokens of {family or 'a published family'}"
        )
    return families


def differences(config, recipe, arrays):
    """Return how a family's model differs from ours, field by field."""
    wrong = []
    for field in fields(config):
        ours, theirs = getattr(config, field.name), getattr(recipe.config, field.name)
        if field.name == "count_padding" and ours:
            continue  # the same, as long as padding comes last
        if ours != theirs:
            wrong.append(f"{field.name} is {ours!r}: wanted {theirs!r}")
    wrong += [
        f"{path} is a weight of the model: wanted none"
        for path in arrays
        if recipe.name_for(path) is None
    ]
    return wrong


@contextmanager
def replaced(folder: Path, overwrite: bool) -> Iterator[Path]:
    """Yield a new folder, whose files take the place of a checkpoint's at the end.

    If anything fails before, `folder` is as it was.
    """
    known = WRITTEN | TOKENIZER_FILES
    held = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    others = [
        name
        for name in held
        if not (overwrite and name in known and (folder / name).is_file())
    ]
    if others:
        raise FileExistsError(
            f"folder is {folder}, which holds {', '.join(others[:5])}: wanted an empty "
            "folder" + ("" if overwrite else ", or overwrite=True for a checkpoint's")
        )
    new_folders = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # Beside the earlier files, so that the new ones need only be renamed.
        with TemporaryDirectory(prefix=".new-", dir=folder) as place:
            yield Path(place)
            written = os.listdir(place)
            for name in written:
                os.replace(Path(place) / name, folder / name)
    except BaseException:
        with suppress(OSError):
            for path in new_folders:
                path.rmdir()
        raise
    for name in {*held} - {*written}:
        (folder / name).unlink()


def write_tensors(tensors, path):
    """Write {name: array} as safetensors, with the permissions of config.json."""
    from safetensors.numpy import save_file

    tensors = {
        name: np.ascontiguousarray(array, np.float32) for name, array in tensors.items()
    }
    save_file(tensors, path, metadata={"format": "pt"})
    # The library makes its files private, whatever the user's umask is.
    path.chmod((path.parent / "config.json").stat().st_mode)
