"""Measure what reads pictures, for chapter 21: digits, numbers and their words.

    python -m tools.experiments.pictures                 all, 14 processor minutes
    python -m tools.experiments.pictures digits pairs    these tasks' rows alone

All in PyTorch, on one thread, without dropout. Writes readymade/data/picture_runs.csv,
a row for each measure:

    task     "digits": which digit it is; "hidden": the same with patches hidden;
             "words": German words of pictures of numbers; "pairs": pictures and words
             in one space
    model    what was trained: a key of the table that the task runs through below
    seed     of its first weights, its batches, and which pictures and numbers are held
             out; all pictures are held out unless the measure says otherwise
    measure  what was measured:
             "right": the share of held-out pictures; "right, moved": the mean of this
             for all moved by one pixel to the right, left, top and bottom
             "right without …": after a map has named three of 16 patches, and these
             have been replaced: by blank paper, or by the mean of the train pictures;
             "flipped by one": the share of pictures of which one replaced patch
             changes the answer
             "right, n digits": the share of words, of held-out numbers in held-out
             pictures unless it says otherwise; "hundreds", "unit", "tens": the share
             of words in numbers such as 434 at which the mean over heads of the last
             layer's cross-attention is highest on the right digit
             "right of 10", "right, seen", "right, new": the share of pictures whose
             word is the nearest among those of 10 digits, or of 100 numbers, seen in
             training or not; "found": the same from words to pictures; "wrong but
             seen": of the wrong words of new numbers, the share that are seen numbers'
             "loss": of the last 20 steps, in nats; "weights"; "seconds" of processor
             time to train
    value    the number
"""

import csv
import sys

from readymade.data import NumberPictures, moved
from scratch.torch import (
    Encoder,
    PatchEmbeddings,
    Transformer,
    contrastive_loss,
    cross_entropy,
    inference,
    new_linear,
    shift_right,
)
from tools.experiments.picture_digits import (
    DIGITS,
    VIT,
    digit_runs,
    hidden_runs,
    learned_digits,
)
from tools.experiments.picture_training import config, trained
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

CSV = DATA / "picture_runs.csv"
COLUMNS = "task", "model", "seed", "measure", "value"
SEEDS = range(3)
PAD, BOS, EOS = 0, 1, 2

# From a picture of a number to its German word

WORDS = "reader", "nearest neighbour, place by place"
LENGTHS = 1, 2, 3, 4


def word_loss(model, pictures, ids):
    return cross_entropy(model(pictures, shift_right(ids, BOS)), ids, PAD, 0.1)


def place_by_place(task, seed):
    """Return what reads each place's nearest digit, and spells the number by rule."""
    answer, *_ = learned_digits("nearest neighbour", seed)

    def read(pictures):
        cut = pictures.reshape(-1, 8, 4, 8).transpose(0, 2, 1, 3).reshape(-1, 64)
        digits = np.where(cut.any(1), answer(cut), 0).reshape(-1, 4)
        return task.encode(digits @ [1000, 100, 10, 1])

    return read


def word_runs(name, seed):
    """Yield (task, measure, value) of what reads numbers."""
    task = NumberPictures(seed=seed)
    if name == "reader":
        settings = config(64, 128, 64, target_vocab_size=len(task.vocabulary))
        torch.manual_seed(seed)
        model = Transformer(settings, PatchEmbeddings(settings, 4))
        numbers = task.draw(task.train_numbers, 600 * 64, seed)
        pictures, ids = task.pictures(numbers, seed=seed), task.encode(numbers)
        rows = np.arange(len(ids)).reshape(-1, 64)
        data = [(pictures[row], ids[row]) for row in rows]
        for measure, value in trained(model, data, word_loss, 4e-3, 100):
            yield "words", measure, value

        def read(pictures):
            return model.generate(torch.tensor(pictures), BOS, EOS, 16).numpy()
    else:
        read = place_by_place(task, seed)

    def right(lists, n, held_out, left=0):
        some = task.draw([lists[n - 1]], 200, seed + 1_000 * n)
        drawn = moved(task.pictures(some, held_out, seed + 7), -left)
        return task.exact_matches(read(drawn), some).mean()

    for n in LENGTHS:
        yield "words", f"right, {n} digits", right(task.test_numbers, n, True)
    if name != "reader":
        return
    for left in (1, 4):
        for n in LENGTHS[:3]:
            value = right(task.test_numbers, n, True, left)
            yield "words", f"right, {n} digits, moved left by {left}", value
    for n in LENGTHS:
        value = right(task.train_numbers, n, True)
        yield "words", f"right, {n} digits, seen numbers", value
        value = right(task.test_numbers, n, False)
        yield "words", f"right, {n} digits, seen pictures", value
    five = np.random.default_rng(seed).integers(10_000, 100_000, 100)
    written = read(task.pictures(five, True, seed, width=5))
    yield "words", "right, 5 digits", task.exact_matches(written, five).mean()
    yield from crossing(model, task, seed)


def crossing(model, task, seed):
    """Yield (task, measure, value) of where cross-attention is highest."""
    three = task.test_numbers[2]
    numbers = three[(three % 10 >= 1) & (three % 100 > 20)][:100]
    drawn = torch.tensor(task.pictures(numbers, True, seed + 7))
    ids = torch.tensor(task.encode(numbers))
    with inference(model):
        memory, _ = model.encode(drawn)
        _, weights = model.decoder(shift_right(ids, BOS), memory)
    last = weights[-1][1].mean(1)[:, :, 1:]  # (numbers, steps, patches)
    by_digit = last.reshape(*last.shape[:2], 2, 4, 2).sum((2, 4))
    # "vier hundert vier und dreißig": a word's place, and its digit's on the picture
    for word, step, digit in (("hundreds", 0, 1), ("unit", 2, 3), ("tens", 4, 2)):
        found = by_digit[:, step].argmax(-1) == digit
        yield "words", word, found.double().mean().item()


# Pictures and words in one space

# batch, whether a batch repeats numbers, whether the temperature is learned, its start
PAIRS = {
    "towers": (64, True, True, 0.07),
    "towers, no repeats": (64, False, True, 0.07),
    "towers, batches of 16": (16, True, True, 0.07),
    "towers, temperature 1": (64, True, False, 1.0),
}


class Towers(nn.Module):
    """An encoder of pictures and one of words, each with a matrix into one space."""

    def __init__(self, vocab_size, temperature, learn):
        super().__init__()
        settings = {"positions": "learned", "scale_embeddings": False}
        see = config(48, 96, 9, **settings)
        read = config(48, 96, 16, **settings, vocab_size=vocab_size, pad_id=PAD)
        self.pictures = Encoder(see, PatchEmbeddings(see, 4))
        self.words = Encoder(read)
        self.from_picture = new_linear(48, 48, bias=False)
        self.from_words = new_linear(48, 48, bias=False)
        self.log_temperature = nn.Parameter(torch.tensor(temperature).log(), learn)

    def see(self, pictures):
        return self.from_picture(self.pictures.hidden_states(pictures)[:, 0])

    def read(self, ids):
        return self.from_words(self.words.hidden_states(ids)[:, 0])


def pair_loss(model, pictures, ids):
    temperature = model.log_temperature.exp()
    return contrastive_loss(model.see(pictures), model.read(ids), temperature)


def pair_runs(name, seed):
    """Yield (task, measure, value) of two encoders with one space."""
    batch, repeats, learn, temperature = PAIRS[name]
    task = NumberPictures(2, seed=seed)
    seen, new = np.concatenate(task.train_numbers), task.test_numbers[1]
    torch.manual_seed(seed)
    model = Towers(len(task.vocabulary), temperature, learn)
    generator = np.random.default_rng(seed)

    def words(numbers):  # [BOS] begins a text, and its vector is the text's
        return np.insert(task.encode(numbers), 0, BOS, axis=1)

    data = []
    for step in range(500):
        numbers = generator.choice(seen, batch, replace=repeats)
        data.append((task.pictures(numbers, seed=step), words(numbers)))
    for measure, value in trained(model, data, pair_loss, 3e-3, 40):
        yield "pairs", measure, value
    yield "pairs", "temperature", model.log_temperature.exp().item()

    def cosines(numbers, choices, from_words=False):
        """Return (numbers, choices): of pictures with words, or of words with these."""
        one, other = (choices, numbers) if from_words else (numbers, choices)
        with inference(model):
            pictures = task.pictures(one, True, seed + 7)
            seen_as = F.normalize(model.see(torch.tensor(pictures)), dim=-1)
            read_as = F.normalize(model.read(torch.tensor(words(other))), dim=-1)
        found = (seen_as @ read_as.T).numpy()
        return found.T if from_words else found

    hundred = np.arange(100)
    for measure, numbers, choices, times in (
        ("right of 10", hundred[:10], hundred[:10], 20),
        ("right, seen", seen, hundred, 4),
        ("right, new", new, hundred, 20),
    ):
        asked = np.repeat(numbers, times)
        nearest_words = choices[cosines(asked, choices).argmax(1)]
        wrong = nearest_words[nearest_words != asked]
        yield "pairs", measure, 1 - len(wrong) / len(asked)
        if numbers is new:
            yield "pairs", "wrong but seen", np.isin(wrong, seen).mean()
    for measure, numbers in (("found, seen", seen), ("found, new", new)):
        pictures_of = cosines(numbers, hundred, from_words=True).argmax(1)
        yield "pairs", measure, (pictures_of == numbers).mean()


TASKS = {
    "digits": (DIGITS, digit_runs, SEEDS),
    "hidden": ([VIT], hidden_runs, range(10)),
    "words": (WORDS, word_runs, SEEDS),
    "pairs": (PAIRS, pair_runs, SEEDS),
}


def main(names):
    torch.set_num_threads(1)
    rows = []
    for name in names:
        models, runs, seeds = TASKS[name]
        for model in models:
            for seed in seeds:
                for task, measure, value in runs(model, seed):
                    rows.append([task, model, seed, measure, f"{value:.4g}"])
    ours = {row[0] for row in rows}
    others = []
    if CSV.exists():
        with CSV.open(newline="", encoding="utf-8") as file:
            _, *others = [row for row in csv.reader(file) if row[0] not in ours]
    order = [*TASKS]
    with new_table(CSV, COLUMNS) as table:
        table.writerows(sorted(others + rows, key=lambda row: order.index(row[0])))


if __name__ == "__main__":
    main(sys.argv[1:] or TASKS)
