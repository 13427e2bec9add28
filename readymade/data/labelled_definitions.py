"""Definitions of things from WordNet, each with its topic: the text of chapter 10.

Source of `pretraining/definitions.txt.gz`: WordNet 3.0, Copyright 2006 by Princeton
University, whose licence is in `pretraining/WORDNET-LICENSE.txt`. The definitions were
chosen and shortened by `tools/definitions.py`.
"""

import gzip
from pathlib import Path

FOLDER = Path(__file__).with_name("pretraining")
FILE = FOLDER / "definitions.txt.gz"
TOPICS = tuple("animal artifact body food location person plant substance".split())
HELD_OUT = 2_000


def definitions() -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return WordNet's definitions of some 22,000 nouns, split in two.

    A definition does not include the word that it defines. The order is random, but the
    same every time.

    Returns:
        Two lists, (train, held_out), of (definition, label); `TOPICS[label]` is
        the kind of thing that is defined. 2,000 are held out.

    Source: Miller 1995; Fellbaum 1998.
    """
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    pairs = [line.split("\t") for line in lines]
    rows = [(definition, TOPICS.index(topic)) for topic, definition in pairs]
    return rows[:-HELD_OUT], rows[-HELD_OUT:]


def pretrained_path() -> Path:
    """Return the folder of the masked language model that was trained on definitions.

    `load_checkpoint(pretrained_path())` returns the model and its tokenizer. It was
    made by `tools/experiments/pretrain.py`.
    """
    return FOLDER / "checkpoint"
