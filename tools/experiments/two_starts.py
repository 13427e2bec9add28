"""Train chapter 7's classifier from random weights and from MiniLM's, and test it.

    python -m tools.experiments.two_starts     both starts, three seeds: five minutes

Writes readymade/data/start_runs.csv: for each start, seed and third epoch, the shares
of 180 training reviews and of 60 held-out ones classified correctly. The seed decides
which reviews are held out, the order of the others, and every random weight.
"""

from dataclasses import replace

from readymade.data import reviews
from readymade.weights import load_checkpoint
from scratch.torch import SequenceClassifier
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch
from torch.nn import functional as F

CSV = DATA / "start_runs.csv"
SEEDS = range(3)
TESTED_AFTER = {  # epochs; the last ones suffice to memorize the training reviews
    "random": range(3, 16, 3),
    "pretrained": range(3, 7, 3),
}
BATCH, PEAK, WARMUP = 20, 1e-4, 27


def encoded(tokenizer, part):
    texts, labels = zip(*part, strict=True)
    return torch.tensor(tokenizer.encode_batch(list(texts)).ids), torch.tensor(labels)


def right(model, ids, labels):
    """Return the share of texts that are classified correctly."""
    with torch.no_grad():
        return (model(ids).argmax(dim=-1) == labels).float().mean().item()


def runs(minilm, tokenizer, start, seed):
    """Train once; yield the epoch, and the shares right in training and in the test."""
    train, test = (encoded(tokenizer, part) for part in reviews(seed=seed))
    torch.manual_seed(seed)
    model = SequenceClassifier(replace(minilm.config, dropout=0.0), num_classes=2)
    if start == "pretrained":
        model.encoder.load_state_dict(minilm.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    generator = np.random.default_rng(seed)
    step = 0
    for epoch in range(1, TESTED_AFTER[start][-1] + 1):
        for rows in generator.permutation(len(train[1])).reshape(-1, BATCH):
            step += 1
            optimizer.param_groups[0]["lr"] = PEAK * min(1, step / WARMUP)
            ids, labels = (part[rows] for part in train)
            loss = F.cross_entropy(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch in TESTED_AFTER[start]:
            yield epoch, right(model, *train), right(model, *test)


if __name__ == "__main__":
    torch.set_num_threads(1)
    minilm, tokenizer = load_checkpoint()
    with new_table(CSV, ["start", "seed", "epoch", "training", "test"]) as table:
        for start in TESTED_AFTER:
            for seed in SEEDS:
                for epoch, *shares in runs(minilm, tokenizer, start, seed):
                    table.writerow(
                        [start, seed, epoch, *(f"{share:.4f}" for share in shares)]
                    )
