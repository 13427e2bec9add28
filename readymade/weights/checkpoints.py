"""Load published weights into our models, in either framework."""

import importlib
from pathlib import Path
from typing import Any

from readymade.weights.families import FAMILIES
from readymade.weights.files import (
    find_folder,
    fits_float32,
    read_json_if_any,
    read_settings,
    read_tensors,
)
from readymade.weights.parameters import parameters_of, untied, write_all
from readymade.weights.processors import PictureProcessor, read_processor
from readymade.weights.tokenizers.reading import read_tokenizer
from scratch.checks import require_choice
from scratch.tokenization import Tokenizer

import numpy as np

FLOATS = {"bfloat16", "float16", "float32", "float64"}


def load_checkpoint(
    name_or_path: str | Path | None = None, framework: str = "torch"
) -> tuple[Any, Tokenizer | PictureProcessor | None]:
    """Load a published model and its tokenizer, ready to run.

    BERT, DistilBERT, RoBERTa, XLM-R, GPT-2, Llama, Mistral, Qwen2, Qwen3, Marian and
    ViT, from safetensors. A checkpoint with the head of a task becomes our model of
    that task: MaskedLanguageModel, NextSentence, SequenceClassifier, TokenClassifier,
    SpanExtractor, Transformer (Marian) or CausalLanguageModel (GPT-2 to Qwen3); one
    without becomes an Encoder. A classifier has the names of its classes as
    `model.labels`. Nothing in the checkpoint is executed.

    The tokenizer is one of our own where the folder has vocab.txt, or vocab.json and
    merges.txt, unless a tokenizer.json beside them says otherwise. Every other
    tokenizer.json is read by the library `tokenizers`, behind the same methods, and so
    is one with a chat template: `tokenizer.chat(messages)`. `bos_id` and `eos_ids` are
    the ids that begin and end a text, as the files name them; `encode_batch` returns
    the arrays that the model takes, with segment ids only where it has segments.

    A model of pictures (ViT) has a PictureProcessor in place of a tokenizer: called
    with raw pixels, it returns what the model takes.

    Args:
        name_or_path: a folder, a name on the Hugging Face hub, or None for the bundled
            all-MiniLM-L6-v2.
        framework: "torch" or "tensorflow".

    Returns:
        (model, tokenizer). The tokenizer is None, with a warning that says why, if the
        folder holds no tokenizer, one whose files contradict each other, one without
        tokenizer.json that ours cannot follow, one whose padding is not the id that
        the model hides, or Marian's while sentencepiece is not installed. A processor
        is None, with a warning, without preprocessor_config.json, or for another size.

    Raises:
        FileNotFoundError: no such folder or download; no config.json, no safetensors.
        ValueError: a file is damaged; the model has a part or a setting that ours do
            not have; tensors are missing, left over, of another shape, or not the
            constants that ours compute. All are named. Tensors that our models do not
            need are listed in `families`, each with the reason, which is logged.
    """
    require_choice("framework", framework, ("torch", "tensorflow"))
    folder, name = find_folder(name_or_path)
    settings, tensors = read_settings(folder), read_tensors(folder, name)
    generation_settings = read_json_if_any(folder / "generation_config.json")
    recipe = recipe_for(settings, tensors, folder)
    model = build(recipe, framework)
    place(tensors, recipe, model, folder)
    # Both are saved with the model.
    model.family = recipe.family.kind
    model.generation_settings = generation_settings
    if recipe.patches is not None:
        *_, picture_size = recipe.patches
        return model, read_processor(folder, picture_size)
    kind, config = recipe.family.tokenizer, recipe.config
    return model, read_tokenizer(folder, kind, config.pad_id, config.num_segments > 0)


def read_arrays(folder):
    """Return the config and arrays of a checkpoint without loading a framework.

    Args:
        folder: a checkpoint of any family but Marian, which stores constants.

    Returns:
        The TransformerConfig, and {our path: array}, C-contiguous float32.
    """
    tensors = read_tensors(folder)
    recipe = recipe_for(read_settings(folder), tensors, folder)
    given, wrong = recipe.take(tensors)
    if wrong:
        raise ValueError(f"the tensors in {folder} do not fit: {', '.join(wrong)}")
    arrays = {
        path: array.astype(np.float32, order="C") for path, (_, array) in given.items()
    }
    return recipe.config, arrays


def recipe_for(settings, names, folder):
    """Return the Recipe for a checkpoint; ValueError says what is wrong with it."""
    kind = settings.get("model_type")
    if kind not in list(FAMILIES):
        raise ValueError(
            f"{folder}/config.json has model_type {kind!r}: wanted one of "
            + ", ".join(FAMILIES)
        )
    family = FAMILIES[kind]
    try:
        architectures = family.architectures(settings, names)
        return family.recipe(settings | {"architectures": architectures}, names)
    except KeyError as error:
        raise ValueError(f"{folder}/config.json does not say {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder}/config.json says {error}") from error


def build(recipe, framework):
    """Return the recipe's model with weights drawn at random."""
    labels, name = recipe.labels, recipe.head.model
    sizes = [len(labels)] if labels else []
    model = new_model(name, framework, recipe.config, sizes, recipe.patches)
    if labels:
        model.labels = labels
    return model.eval() if framework == "torch" else model


def new_model(name, framework, config, sizes, patches=None, **precision):
    """Return a new model of the class that PyTorch calls `name`.

    Args:
        name, framework, config: which.
        sizes: what its class takes next, such as the number of classes.
        patches: what PatchEmbeddings take; None for a model of texts.
        precision: what Keras' layers take beside.
    """
    arguments = [config, *sizes]
    if patches is not None:
        patch_embeddings = our_class("PatchEmbeddings", framework)
        part = patch_embeddings(config, *patches, **precision)
        if sizes:
            part = our_class("Encoder", framework)(config, part, **precision)
        arguments.append(part)
    return our_class(name, framework)(*arguments, **precision)


def our_class(name, framework):
    """Return one of our classes, which loads its framework."""
    package = importlib.import_module(f"scratch.{framework}")
    return getattr(package, name if framework == "torch" else f"TF{name}")


def place(tensors, recipe, model, folder):
    """Write a checkpoint's {name: array} into a model, or raise and write none."""
    given, wrong = recipe.take(tensors, model)
    wanted = untied(parameters_of(model))
    for path, (name, array) in given.items():
        if path not in wanted:
            wrong.append(f"{name} {array.shape} has no place: there is no {path}")
        elif array.shape != wanted[path].shape:
            shape = wanted[path].shape
            wrong.append(f"{name} gives {path} {array.shape}: wanted {shape}")
        elif array.dtype.name not in FLOATS:
            wrong.append(f"{name} holds {array.dtype}: wanted floating-point numbers")
        elif not fits_float32(array):
            wrong.append(f"{name} holds NaN or infinity as float32: wanted numbers")
    for path in wanted.keys() - given.keys():
        name = recipe.name_for(path)
        wrong.append(f"{name} is missing, for {path} {wanted[path].shape}")
    if wrong:
        listed = "\n  ".join(sorted(wrong))
        raise ValueError(f"the tensors in {folder} do not fit:\n  {listed}")
    write_all({path: array for path, (_, array) in given.items()}, wanted)
