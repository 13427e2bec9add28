"""Train the model that `readymade.data.translator` reads.

    python -m tools.experiments.train_translator     half a minute on one core

Trains the Transformer of chapter 9 on its 5,000 numbers, for its 300 steps. Writes
readymade/data/number_translator.safetensors.
"""

import json
from dataclasses import asdict
from functools import partial

from readymade.data import NumberWords
from readymade.data.number_words import Vocabulary
from readymade.data.trained_translator import PATH, translator
from scratch.config import TransformerConfig
from scratch.torch import Transformer, cosine_schedule, cross_entropy, fit, shift_right

import numpy as np
import torch
from safetensors.torch import save_file

STEPS, BATCH, PEAK = 300, 64, 4e-3


def right(model, task, numbers, beam_size=1):
    """Return for each number whether it is translated exactly."""
    source, _ = task.encode(numbers)
    target = task.target
    written = model.generate(
        torch.tensor(source), target.bos_id, target.eos_id, 14, beam_size=beam_size
    )
    return task.exact_matches(written.numpy(), numbers)


def new_model(task, seed=0):
    """Return the model of the chapter with the random weights of a seed."""
    config = TransformerConfig(
        len(task.source), target_vocab_size=len(task.target), d_model=64, num_heads=4,
        d_ff=256, num_layers=2, max_len=32, dropout=0.0, norm_first=True,
    )  # fmt: skip
    torch.manual_seed(seed)
    return Transformer(config)


def translation_loss(model, source_ids, target_ids):
    logits = model(source_ids, shift_right(target_ids, Vocabulary.bos_id))
    return cross_entropy(logits, target_ids, Vocabulary.pad_id, 0.1)


def train(model, task, warmup=100):
    """Train a model with the chapter's batches; return the loss of each step."""
    source, target = task.encode(task.train_numbers)
    generator = np.random.default_rng(0)
    order = np.concatenate([generator.permutation(len(source)) for _ in range(4)])
    batches = [
        (source[rows], target[rows])
        for rows in order[: STEPS * BATCH].reshape(STEPS, BATCH)
    ]
    rate = partial(cosine_schedule, peak=PEAK, warmup=warmup, last_step=STEPS)
    return fit(model, batches, translation_loss, rate, device="cpu")


def main():
    task = NumberWords()
    model = new_model(task)
    train(model, task)
    weights = {name: p.detach().bfloat16() for name, p in model.named_parameters()}
    metadata = {"config": json.dumps(asdict(model.config))}
    save_file(weights, PATH, metadata=metadata)
    PATH.chmod(0o644)  # safetensors makes its files readable by their owner only
    for name, one in {"float32": model, "bfloat16": translator()[0]}.items():
        count = right(one, task, task.test_numbers).sum()
        print(f"{name}: {count} of {len(task.test_numbers):,} are right")


if __name__ == "__main__":
    main()
