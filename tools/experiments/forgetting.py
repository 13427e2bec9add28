"""Measure what a model forgets while it is fine-tuned: the experiment of chapter 11.

    python -m tools.experiments.forgetting

Fine-tunes the masked language model of chapter 10 on the topics of 400 definitions, and
then lets it predict hidden words again. Takes about two minutes on one core. Writes
readymade/data/pretraining/forgetting.csv: for each recipe, peak rate and seed, the
share of 2,000 held-out definitions whose topic is right, and that of their hidden
words. The first row is the model before fine-tuning.
"""

from functools import partial

from readymade.data import TOPICS, definitions, pretrained_path
from readymade.data.labelled_definitions import FOLDER
from readymade.weights import load_checkpoint
from scratch.tokenization import IGNORED, mask_tokens
from scratch.torch import (
    SequenceClassifier,
    cosine_schedule,
    cross_entropy,
    fine_tune,
    layer_rates,
)
from tools.experiments.tables import new_table

import numpy as np
import torch

CSV = FOLDER / "forgetting.csv"
SEEDS = range(3)
LABELS, EPOCHS, BATCH, LENGTH = 400, 5, 20, 24
STEPS = EPOCHS * LABELS // BATCH
PEAKS = (2e-4, 1e-3, 5e-3)


def every_weight(model, share=1.0):
    return [(share, list(model.parameters()))]


def upper_layers_slower(model):
    """Return layer-wise rates the wrong way round."""
    embeddings, *layers, head = layer_rates(model, decay=0.5)
    shares, groups = zip(*layers, strict=True)
    return [embeddings, *zip(shares[::-1], groups, strict=True), head]


# Each adds one thing to the recipe before it: the weights that learn, and the warm-up.
# The last two are controls: warm-up and decay have the same mean rate, and so have the
# layers the other way round.
RECIPES = {
    "one rate": (every_weight, False),
    "+ warm-up, decay": (every_weight, True),
    "+ frozen embeddings": (layer_rates, True),
    "+ layer-wise rates": (partial(layer_rates, decay=0.5), True),
    "one rate halved": (partial(every_weight, share=0.5), False),
    "layers reversed": (upper_layers_slower, True),
}


def encoded(tokenizer, pairs):
    """Return the ids of definitions, and their topics."""
    texts, labels = zip(*pairs, strict=True)
    batch = tokenizer.encode_batch([*texts], max_length=LENGTH, pad_to=LENGTH)
    return batch.ids, np.array(labels)


def words_right(model, tokenizer, ids):
    """Return the share of hidden words that the model predicts, as in chapter 10."""
    vocab = tokenizer.vocab
    special = [vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]")]
    hidden, places, targets = mask_tokens(
        ids, len(vocab), vocab["[MASK]"], special, np.random.default_rng(1)
    )
    with torch.no_grad():
        logits = model(torch.tensor(hidden), places=torch.tensor(places))
    return np.mean((logits.argmax(-1).numpy() == targets)[targets != IGNORED])


def score(recipe, peak, seed):
    """Fine-tune once; return the shares of topics and of hidden words it gets right."""
    rates, rises = RECIPES[recipe]
    train, held_out = definitions()
    model, tokenizer = load_checkpoint(pretrained_path())
    generator = np.random.default_rng(seed)
    drawn = [train[n] for n in generator.permutation(len(train))[:LABELS]]
    ids, labels = encoded(tokenizer, drawn)
    order = [generator.permutation(LABELS).reshape(-1, BATCH) for _ in range(EPOCHS)]
    torch.manual_seed(seed)
    config = model.encoder.config
    # This trains the encoder of the masked language model; its head stays as it is.
    classifier = SequenceClassifier(config, len(TOPICS), encoder=model.encoder)
    fine_tune(
        classifier,
        [(ids[rows], labels[rows]) for rows in np.concatenate(order)],
        lambda model, ids, labels: cross_entropy(model(ids), labels, None),
        rates(classifier),
        lambda step: (
            cosine_schedule(step, peak, STEPS // 10, STEPS + 1) if rises else peak
        ),
    )
    test_ids, answers = encoded(tokenizer, held_out)
    with torch.no_grad():
        topics = classifier(torch.tensor(test_ids)).argmax(-1).numpy()
    return np.mean(topics == answers), words_right(model, tokenizer, test_ids)


def main():
    torch.set_num_threads(1)
    model, tokenizer = load_checkpoint(pretrained_path())
    before = words_right(model, tokenizer, encoded(tokenizer, definitions()[1])[0])
    with new_table(CSV, ["recipe", "peak", "seed", "topics", "words"]) as table:
        table.writerow(["before", "", "", "", f"{before:.4f}"])
        for recipe in RECIPES:
            for peak in PEAKS:
                for seed in SEEDS:
                    topics, words = score(recipe, peak, seed)
                    row = [recipe, peak, seed, f"{topics:.4f}", f"{words:.4f}"]
                    table.writerow(row)
                    print(*row, flush=True)


if __name__ == "__main__":
    main()
