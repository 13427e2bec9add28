"""Load published weights into our models, in either framework."""

import logging
from operator import attrgetter
from pathlib import Path
from typing import Any

from readymade.weights.copying import write_all
from readymade.weights.families import FAMILIES
from readymade.weights.files import find_folder, read_settings, read_tensors, release
from readymade.weights.parameters import our_class, parameters_of, untied
from readymade.weights.tokenizers import read_tokenizer
from readymade.weights.vocabularies import read_json_if_any
from scratch.checks import require_choice
from scratch.tokenization import Tokenizer

import numpy as np

log = logging.getLogger(__name__)

# Stored constants may have been rounded to bfloat16, numbers near 1 by up to 0.002.
ROUNDED = 0.004
FLOATS = {"bfloat16", "float16", "float32", "float64"}


def load_checkpoint(
    name_or_path: str | Path | None = None, framework: str = "torch"
) -> tuple[Any, Tokenizer | None]:
    """Load a published model and its tokenizer, ready to run.

    BERT, DistilBERT, RoBERTa, XLM-R, GPT-2, Llama, Mistral, Qwen2, Qwen3 and Marian,
    from safetensors. A checkpoint with the head of a task becomes our model of that
    task: MaskedLanguageModel, NextSentence, SequenceClassifier, TokenClassifier,
    SpanExtractor, Transformer (Marian) or CausalLanguageModel (GPT-2 and all after it);
    one without becomes an Encoder. A classifier has the names of its classes as
    `model.labels`. Nothing of the checkpoint is executed.

    The tokenizer is one of our own where the folder has vocab.txt, or vocab.json and
    merges.txt, and a tokenizer.json beside, if any, does the same. Every other
    tokenizer.json is read by the library `tokenizers`, behind the same methods, and so
    is one with a chat template: `tokenizer.chat(messages)`. `bos_id` and `eos_ids` are
    the ids that begin and end a text, as the files name them; `encode_batch` returns
    the arrays that the model takes, with segment ids only where it has segments.

    Args:
        name_or_path: a folder, a name on the Hugging Face hub, or None for the bundled
            all-MiniLM-L6-v2.
        framework: "torch" or "tensorflow".

    Returns:
        (model, tokenizer). The tokenizer is None, with a warning that says why, if the
        folder holds no tokenizer, one whose files contradict each other, one without
        tokenizer.json that our own does not follow, one that pads with another id than
        the model hides, or a Marian's where sentencepiece is not installed.

    Raises:
        FileNotFoundError: no such folder or download; no config.json, no safetensors.
        ValueError: a file is damaged; the model has a part or a setting that ours do
            not have; tensors are missing, left over, of another shape, or not the
            constants that ours compute. All are named. Tensors that our models do
            without are listed in `families`, each with the reason, which is logged.
    """
    require_choice("framework", framework, ("torch", "tensorflow"))
    folder, name = find_folder(name_or_path)
    settings = read_settings(folder)
    tensors = read_tensors(folder, name)
    recipe = recipe_for(settings, tensors, folder)
    model = build(recipe, framework)
    place(tensors, recipe, model, folder)
    # What is written again when the model is saved.
    model.family = recipe.family.kind
    model.generation_settings = read_json_if_any(folder / "generation_config.json")
    kind, config = recipe.family.tokenizer, recipe.config
    return model, read_tokenizer(folder, kind, config.pad_id, config.num_segments > 0)


def read_arrays(folder):
    """Return what a folder holds as our model has it, without loading a framework.

    Args:
        folder: a checkpoint without constants to compare: any that is not a Marian's.

    Returns:
        The TransformerConfig, and {our path: array}, float32 in the order of C.
    """
    tensors = read_tensors(folder)
    recipe = recipe_for(read_settings(folder), tensors, folder)
    given, wrong = arrange(tensors, recipe, model=None)
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
        found = family.architectures(settings, names)
        return family.recipe(settings | {"architectures": found}, names)
    except KeyError as error:
        raise ValueError(f"{folder}/config.json does not say {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder}/config.json says {error}") from error


def build(recipe, framework):
    """Return the recipe's model with weights drawn at random."""
    labels = recipe.labels
    sizes = [len(labels)] if labels else []
    model = our_class(recipe.head.model, framework)(recipe.config, *sizes)
    if labels:
        model.labels = labels
    return model.eval() if framework == "torch" else model


def place(tensors, recipe, model, folder):
    """Write a checkpoint's {name: array} into a model: all, or none, and why, named."""
    given, wrong = arrange(tensors, recipe, model)
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


def fits_float32(array):
    """Whether all numbers of an array are numbers as float32, too."""
    wider = array.dtype == np.float64
    fits = np.isfinite(array.astype(np.float32) if wider else array).all()
    release(array)
    return fits


def arrange(tensors, recipe, model):
    """Return {our path: (their name, array)}, and a list of what is wrong."""
    short_names = {name.removeprefix(recipe.family.prefix): name for name in tensors}
    given, wrong = {}, []
    for name, array in tensors.items():
        short = name.removeprefix(recipe.family.prefix)
        if reason := recipe.reason_to_drop(short):
            log.info("%s is left out: %s", name, reason)
            continue
        if constant := recipe.constant_for(short):
            ours = np.asarray(attrgetter(constant)(model))
            theirs = array.astype(np.float32)
            if array.shape != ours.shape or not np.allclose(theirs, ours, atol=ROUNDED):
                wrong.append(f"{name} differs from our {constant}: wanted the same")
            continue
        if short in recipe.repeats:
            original = short_names.get(recipe.repeats[short])
            if original and not np.array_equal(array, tensors[original]):
                wrong.append(f"{name} differs from {original}: wanted the same")
            continue
        places = recipe.take(short, array)
        if not places:
            wrong.append(f"{name} {array.shape} has no place")
        for path, ours in places:
            if path in given:
                wrong.append(f"{name} and {given[path][0]} are both {path}")
            given[path] = name, ours
    return given, wrong
