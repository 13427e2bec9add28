"""The translator of chapter 9, trained."""

import json
from pathlib import Path
from typing import Any

from readymade.data.number_words import NumberWords
from scratch.config import TransformerConfig

PATH = Path(__file__).with_name("number_translator.safetensors")


def translator() -> tuple[Any, NumberWords]:
    """Return a Transformer that translates numbers, in PyTorch, and its task.

    `tools/experiments/train_translator.py` trained it as chapter 9 trains its own. Its
    weights are stored in bfloat16 and come under the licence of the book's text
    (CC BY 4.0).
    """
    from scratch.torch import Transformer

    from safetensors import safe_open
    from safetensors.torch import load_file

    with safe_open(PATH, "pt") as file:
        config = TransformerConfig(**json.loads(file.metadata()["config"]))
    weights = {name: weight.float() for name, weight in load_file(PATH).items()}
    model = Transformer(config)
    # Tied weights are stored once, and the positions are computed.
    lacking, unknown = model.load_state_dict(weights, strict=False)
    named = {name for name, _ in model.named_parameters()}
    if unknown or named & {*lacking}:
        raise ValueError(f"{PATH.name} lacks weights: wanted those of {config}")
    return model.eval(), NumberWords()
