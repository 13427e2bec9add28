"""Train the model that `readymade.data.translator` reads.

    python -m tools.experiments.train_translator     half a minute on one core

Trains the Transformer of chapter 9 on its 5,000 numbers, for its 300 steps. Writes
readymade/data/number_translator.safetensors.
"""

import json
from dataclasses import asdict
from functools import partial

from readymade.data import NumberWords
from readymade.data.trained_translator import PATH, translator
from scratch.config import TransformerConfig
from scratch.torch import Transformer, cosine_schedule, cross_entropy, fit, shift_right

import numpy as np
import torch
from safetensors.torch import save_file

STEPS, BATCH = 300, 64


def exact(model, task):
    """Return how many of the held-out numbers are translated exactly."""
    source, _ = task.encode(task.test_numbers)
    target = task.target
    written = model.generate(torch.tensor(source), target.bos_id, target.eos_id, 14)
    return int(task.exact_matches(written.numpy(), task.test_numbers).sum())


def main():
    task = NumberWords()
    config = TransformerConfig(
        len(task.source), target_vocab_size=len(task.target), d_model=64, num_heads=4,
        d_ff=256, num_layers=2, max_len=32, dropout=0.0, norm_first=True,
    )  # fmt: skip
    torch.manual_seed(0)
    model = Transformer(config)
    source, target = task.encode(task.train_numbers)
    generator = np.random.default_rng(0)
    order = np.concatenate([generator.permutation(len(source)) for _ in range(4)])
    batches = [
        (source[rows], target[rows])
        for rows in order[: STEPS * BATCH].reshape(STEPS, BATCH)
    ]

    def loss(model, source_ids, target_ids):
        logits = model(source_ids, shift_right(target_ids, task.target.bos_id))
        return cross_entropy(logits, target_ids, task.target.pad_id, 0.1)

    rate = partial(cosine_schedule, peak=4e-3, warmup=100, last_step=STEPS)
    fit(model, batches, loss, rate, device="cpu")
    weights = {name: p.detach().bfloat16() for name, p in model.named_parameters()}
    save_file(weights, PATH, metadata={"config": json.dumps(asdict(config))})
    PATH.chmod(0o644)  # safetensors makes its files readable by their owner only
    for name, one in {"float32": model, "bfloat16": translator()[0]}.items():
        print(f"{name}: {exact(one, task)} of {len(task.test_numbers):,} are right")


if __name__ == "__main__":
    main()
