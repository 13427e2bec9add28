"""Train chapter 9's translator from other random weights, and test what it says of one.

    python -m tools.experiments.translators     three seeds: four minutes

Writes readymade/data/translator_runs.csv, a row for each recipe, seed and test. The
seed decides the first weights; numbers and batches are the chapter's. From the model of
the chapter ("before"), "control" and "extended" are trained for 40 more steps, half of
the latter's examples being numbers below 1,000; "short" are 500 others of these. A
value is a share of translations, but that of "head" is an attention weight, and that of
"right ones surer" a share of pairs of a right and a wrong translation of short numbers,
namely those in which the least probable token of the right one is the more probable.
"""

import copy
from functools import partial

from readymade.data import NumberWords
from readymade.data.number_words import english_tokens, german_tokens
from scratch.torch import cosine_schedule, fit, generate_ids, shift_right
from tools.experiments.tables import DATA, new_table
from tools.experiments.train_translator import (
    BATCH,
    PEAK,
    new_model,
    right,
    train,
    translation_loss,
)

import numpy as np
import torch

CSV = DATA / "translator_runs.csv"
SEEDS = range(3)
TEENS = "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
LEARNED, SHORT = np.random.default_rng(2).permutation(1000).reshape(2, 500)
RECIPES = "before", "other rounding", "no warm-up", "control", "extended"
TESTS = "held-out", "short"
TESTS_BEFORE = (  # also of the models that "control" and "extended" start from
    "short, four beams", "right ones surer", "twelve hundred",
    "twelve hundred, long", "head", "und without unit", "und without tens",
    "hundreds digit as unit",
)  # fmt: skip


def rounded_otherwise(model):
    """Change every weight in the seventh digit or so."""
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 1 + 1e-7 * torch.randn_like(weight)
    return model


def trained_on(model, task, count_short, steps=40):
    """Return the model after more steps, some of each batch being short numbers."""
    generator = np.random.default_rng(3)
    more = [
        task.encode(
            [
                *generator.choice(LEARNED, count_short),
                *generator.choice(task.train_numbers, BATCH - count_short),
            ]
        )
        for _ in range(steps)
    ]
    longer = copy.deepcopy(model)
    rate = partial(cosine_schedule, peak=PEAK / 2, warmup=10, last_step=steps)
    fit(longer, more, translation_loss, rate, device="cpu")
    return longer


def twelve_hundred(model, task, thousands=0):
    """Return the share of "twelve hundred" to "nineteen hundred" that is right."""
    english, german = [], []
    if thousands:
        english, german = english_tokens(thousands), german_tokens(thousands)
    source = [task.source.encode([*english, teen, "hundred"]) for teen in TEENS]
    wanted = [[*german, *german_tokens(n), "hundert"] for n in range(12, 20)]
    target = task.target
    rows = model.generate(torch.tensor(source), target.bos_id, target.eos_id, 14)
    written = [target.decode(row) for row in rows.tolist()]
    return np.mean([one == other for one, other in zip(written, wanted, strict=True)])


def least_probable(model, task, numbers):
    """Return the probability of the least probable token of each translation."""
    source = torch.tensor(task.encode(numbers)[0])
    bos_id, pad_id = task.target.bos_id, task.target.pad_id
    ids = model.generate(source, bos_id, task.target.eos_id, 14)
    with torch.no_grad():
        p = model(source, shift_right(ids, bos_id)).softmax(-1)
    p = p.gather(-1, ids[..., None])[..., 0]
    return torch.where(ids != pad_id, p, 1.0).amin(-1).numpy()


def head_weight(model, task, numbers):
    """Return the smaller weight, on unit or tens, of the head that crosses best."""
    source, target = task.encode(numbers)
    with torch.no_grad():
        memory, mask = model.encode(torch.tensor(source))
        read = shift_right(torch.tensor(target), task.target.bos_id)
        _, weights = model.decoder(read, memory, memory_mask=mask)
    cross = np.stack([pair[1].numpy() for pair in weights])
    row = np.arange(len(numbers))
    source_end, target_end = (source != 0).sum(1), (target != 0).sum(1)
    to_unit = cross[:, row, :, target_end - 4, source_end - 2].mean(axis=0)
    to_tens = cross[:, row, :, target_end - 2, source_end - 3].mean(axis=0)
    return np.minimum(to_unit, to_tens).max()


def last_part(tokens):
    """Return what follows the last hundert or tausend."""
    marks = [at for at, token in enumerate(tokens) if token in ("hundert", "tausend")]
    return tokens[marks[-1] + 1 :] if marks else tokens


def without(model, task, numbers, back):
    """Return what is written last if the word this far from the end is hidden."""
    source = torch.tensor(task.encode(numbers)[0])
    memory, mask = model.encode(source)
    end = (source != task.source.pad_id).sum(1)
    mask[torch.arange(len(end)), 0, 0, end - back] = False

    def next_logits(ids, cache):
        return model.next_logits(ids, memory, mask, cache)

    start = torch.full((len(numbers), 1), task.target.bos_id)
    config = model.decoder.config
    ids = generate_ids(next_logits, start, task.target.eos_id, 14, config)
    return [last_part(task.target.decode(row)) for row in ids.tolist()]


def tested(model, task):
    """Return the values of TESTS."""
    return [right(model, task, n).mean() for n in (task.test_numbers, SHORT)]


def tested_before(model, task):
    """Return the values of TESTS_BEFORE."""
    good, p = right(model, task, SHORT), least_probable(model, task, SHORT)
    crossing = [n for n in task.test_numbers if n % 100 > 20 and n % 10]
    hundreds = [n for n in crossing if n // 100 % 10][:300]
    no_unit, no_tens, no_hundred = (
        without(model, task, hundreds, back) for back in (2, 3, 4)
    )
    digits = [german_tokens(20 + n // 100 % 10)[:1] for n in hundreds]
    return [
        right(model, task, SHORT, beam_size=4).mean(),
        (p[good][:, None] > p[~good]).mean(),
        twelve_hundred(model, task),
        twelve_hundred(model, task, 345_000),
        head_weight(model, task, crossing),
        np.mean(["und" in part for part in no_unit]),
        np.mean(["und" in part for part in no_tens]),
        np.mean([p[:1] == d for p, d in zip(no_hundred, digits, strict=True)]),
    ]


def models(task, seed):
    """Yield the model of each recipe, in their order."""
    start = new_model(task, seed)
    model, otherwise, at_once = (copy.deepcopy(start) for _ in range(3))
    train(model, task)
    yield model
    train(rounded_otherwise(otherwise), task)
    yield otherwise
    train(at_once, task, warmup=0)
    yield at_once
    for count_short in (0, BATCH // 2):
        yield trained_on(model, task, count_short)


if __name__ == "__main__":
    torch.set_num_threads(1)
    task = NumberWords()
    with new_table(CSV, ["recipe", "seed", "test", "value"]) as table:
        for seed in SEEDS:
            for recipe, model in zip(RECIPES, models(task, seed), strict=True):
                values = dict(zip(TESTS, tested(model, task), strict=True))
                if recipe in RECIPES[:2]:
                    more = tested_before(model, task)
                    values |= zip(TESTS_BEFORE, more, strict=True)
                for test, value in values.items():
                    table.writerow([recipe, seed, test, f"{value:.4f}"])
