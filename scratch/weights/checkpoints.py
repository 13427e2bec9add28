"""Load published weights into our models, in either framework."""

import importlib
import logging

from scratch.arguments import require_choice
from scratch.weights.copying import write_all
from scratch.weights.families import RECIPES
from scratch.weights.files import find_folder, read_settings, read_tensors
from scratch.weights.parameters import parameters_of
from scratch.weights.tokenizers import read_tokenizer

import numpy as np

log = logging.getLogger(__name__)


def load_checkpoint(name_or_path=None, framework="torch"):
    """Return a published model and its tokenizer, ready to run.

    BERT, DistilBERT, RoBERTa, GPT-2 and Marian, from safetensors. A checkpoint with the
    head of a task becomes our model of that task: MaskedLanguageModel, NextSentence,
    SequenceClassifier, SpanExtractor, CausalLanguageModel (GPT-2) or Transformer
    (Marian); one without becomes an Encoder. Nothing of the checkpoint is executed.

    Args:
        name_or_path: a folder, a name on the Hugging Face hub, or None for the bundled
            all-MiniLM-L6-v2.
        framework: "torch" or "tensorflow".

    Returns
    -------
    (model, tokenizer). The tokenizer is None, with a warning that says why, if the
    folder has none that we can read.

    Raises
    ------
    FileNotFoundError: no such folder or download; no config.json, no safetensors.
    ValueError: a file is damaged; the model is of another family or has a part that
        ours have not; tensors are missing, left over or of another shape. All are
        named. Tensors that our models do without are listed in `families`, each with
        the reason, which is logged.
    """
    require_choice("framework", framework, ("torch", "tensorflow"))
    folder = find_folder(name_or_path)
    settings = read_settings(folder)
    tensors = read_tensors(folder)
    recipe = recipe_for(settings, tensors, folder)
    model = build(recipe, framework)
    place(tensors, recipe, model, folder)
    return model, read_tokenizer(folder, settings["model_type"], recipe.config.pad_id)


def recipe_for(settings, names, folder):
    """Return the Recipe for a checkpoint; ValueError says what is wrong with it."""
    kind = settings.get("model_type")
    if kind not in list(RECIPES):
        raise ValueError(
            f"{folder}/config.json has model_type {kind!r}: wanted one of "
            + ", ".join(RECIPES)
        )
    try:
        return RECIPES[kind](settings, names)
    except KeyError as error:
        raise ValueError(f"{folder}/config.json does not say {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder}/config.json says {error}") from error


def build(recipe, framework):
    """Return the recipe's model with weights drawn at random."""
    package = importlib.import_module(f"scratch.{framework}")
    prefix = "TF" if framework == "tensorflow" else ""
    model = getattr(package, prefix + recipe.model)(recipe.config, **recipe.arguments)
    return model.eval() if framework == "torch" else model


def place(tensors, recipe, model, folder):
    """Write a checkpoint's {name: array} into a model: all of them, or none.

    Raises ValueError that names every tensor which is missing, has no place, or does
    not fit.
    """
    given, wrong = arrange(tensors, recipe)
    wanted = untied(parameters_of(model))
    for path, (name, array) in given.items():
        if path not in wanted:
            wrong.append(f"{name} {array.shape} has no place: there is no {path}")
        elif array.shape != wanted[path].shape:
            shape = wanted[path].shape
            wrong.append(f"{name} gives {path} {array.shape}: wanted {shape}")
        elif array.dtype != np.float32:
            wrong.append(f"{name} holds {array.dtype}: wanted floating-point numbers")
        elif not np.isfinite(array).all():
            wrong.append(f"{name} holds NaN or infinity as float32: wanted numbers")
    for path in wanted.keys() - given.keys():
        name = recipe.name_for(path)
        wrong.append(f"{name} is missing, for {path} {wanted[path].shape}")
    if wrong:
        listed = "\n  ".join(sorted(wrong))
        raise ValueError(f"the tensors in {folder} do not fit:\n  {listed}")
    write_all({path: array for path, (_, array) in given.items()}, wanted)


def arrange(tensors, recipe):
    """Return {our path: (their name, array)}, and a list of what is wrong."""
    short_names = {name.removeprefix(recipe.prefix): name for name in tensors}
    given, wrong = {}, []
    for name, array in tensors.items():
        short = name.removeprefix(recipe.prefix)
        if reason := recipe.reason_to_drop(short):
            log.info("%s is left out: %s", name, reason)
            continue
        if short in recipe.repeats:
            original = short_names.get(recipe.repeats[short])
            if original and not np.array_equal(array, tensors[original]):
                wrong.append(f"{name} differs from {original}: wanted the same")
            continue
        rules = [rule for rule in recipe.rules if rule.path_for(short)]
        if not rules:
            wrong.append(f"{name} {array.shape} has no place")
        for rule in rules:
            path = rule.path_for(short)
            if path in given:
                wrong.append(f"{name} and {given[path][0]} are both {path}")
            given[path] = name, rule.take(array)
    return given, wrong


def untied(parameters):
    """Return {path: Parameter} with the first path alone of those that are tied."""
    first = {}
    for path, parameter in parameters.items():
        first.setdefault(id(parameter.variable), path)
    return {path: parameters[path] for path in first.values()}
