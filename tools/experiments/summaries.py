"""Measure how well summaries are learned, for the chapter on models in the world.

    python -m tools.experiments.summaries     three models, three seeds: eight minutes

Writes readymade/data/summary_runs.csv. For each model and seed it has the mean ROUGE-1,
ROUGE-2 and ROUGE-L of 400 summaries, the share that states all facts correctly, the
share with something that isn't in the report, and the share that exchanges the two
clubs. The reports have known names, during training and after it. After training, each
family of wordings is also measured by itself, and so are four beams, new names, strange
names, and wordings of a family that training doesn't have. The seed decides the reports
to train on, and every random weight.
"""

from functools import partial

from readymade.data.football import (
    FAMILIES,
    UNSEEN,
    ReportWords,
    clubs_exchanged,
    football_reports,
    invented,
    wrong_facts,
)
from scratch.config import TransformerConfig
from scratch.torch import Transformer, cosine_schedule, cross_entropy, fit, shift_right
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch
from rouge_score.rouge_scorer import RougeScorer

CSV = DATA / "summary_runs.csv"
SEEDS, STEPS, BATCH = range(3), 1_200, 16
LOOKED_AT = (100, 200, 300, 400, 600, 800, 1_000)  # steps
TEST_SEED = 2_024  # the settings were chosen with another seed
MEASURES = "rouge1 rouge2 rougeL right invented exchanged".split()
KNOWN = {"seed": TEST_SEED, "held_out": True}
TESTS = {
    "known names": KNOWN,
    "new names": KNOWN | {"names": "new"},
    "strange names": KNOWN | {"names": "strange"},
    "unseen wordings": KNOWN | {"family": UNSEEN},
}


MODELS = {
    "words, sinusoidal": (ReportWords, "sinusoidal"),
    "words, rotary": (ReportWords, "rotary"),
    "numbered names, rotary": (partial(ReportWords, numbered=True), "rotary"),
}


def new_model(vocabulary, positions, seed):
    """Return an untrained model of 244,000 or 274,000 weights."""
    torch.manual_seed(seed)
    return Transformer(
        TransformerConfig(
            vocab_size=len(vocabulary),
            d_model=64,
            num_heads=4,
            d_ff=256,
            num_layers=2,
            max_len=256,
            dropout=0.0,
            norm_first=True,
            positions=positions,
        )
    )


def loss(model, text_ids, summary_ids):
    logits = model(text_ids, shift_right(summary_ids, ReportWords.bos_id))
    return cross_entropy(logits, summary_ids, ReportWords.pad_id)


def summaries(model, vocabulary, reports, beam_size=1):
    """Return what a model writes about each report."""
    written = []
    for start in range(0, len(reports), 100):
        some = reports[start : start + 100]
        ids = model.generate(
            torch.tensor(vocabulary.batch(some)[0]),
            vocabulary.bos_id,
            vocabulary.eos_id,
            max_new_tokens=50,
            beam_size=beam_size,
        )
        written += map(vocabulary.text, ids.tolist(), some)
    return written


def scores(reports, written):
    """Return the means of MEASURES."""
    rouge = RougeScorer(["rouge1", "rouge2", "rougeL"])
    rows = []
    for report, summary in zip(reports, written, strict=True):
        overlap = rouge.score(report.summary, summary)
        rows.append(
            [
                *(overlap[name].fmeasure for name in MEASURES[:3]),
                not wrong_facts(summary, report.facts),
                bool(invented(summary, report.text)),
                clubs_exchanged(summary, report.facts),
            ]
        )
    return np.mean(rows, axis=0)


def measure(name, seed, steps=STEPS, count=400):
    """Train one model; yield (step, test, mean scores)."""
    kind, positions = MODELS[name]
    train = football_reports(steps * BATCH, seed)
    vocabulary = kind(train)
    model = new_model(vocabulary, positions, seed)
    tests = {test: football_reports(count, **how) for test, how in TESTS.items()}
    known = tests["known names"]
    looked_at = []

    def batches():
        for step in range(steps):
            if step in LOOKED_AT:
                model.eval()
                some = known[: count // 2]
                means = scores(some, summaries(model, vocabulary, some))
                looked_at.append((step, "known names", means))
                model.train()
            yield vocabulary.batch(train[step * BATCH : (step + 1) * BATCH])

    fit(
        model,
        batches(),
        loss,
        partial(cosine_schedule, peak=3e-3, warmup=steps // 12, last_step=steps),
    )
    yield from looked_at
    for test, reports in tests.items():
        written = summaries(model, vocabulary, reports)
        yield steps, test, scores(reports, written)
        if test == "known names":
            for family in FAMILIES[:-1]:
                of_family = [
                    place for place, one in enumerate(reports) if one.family == family
                ]
                yield (
                    steps,
                    family,
                    scores(
                        [reports[n] for n in of_family], [written[n] for n in of_family]
                    ),
                )
    yield steps, "four beams", scores(known, summaries(model, vocabulary, known, 4))


if __name__ == "__main__":
    torch.set_num_threads(1)
    with new_table(CSV, ["model", "seed", "step", "test", *MEASURES]) as table:
        for name in MODELS:
            for seed in SEEDS:
                for step, test, means in measure(name, seed):
                    table.writerow(
                        [name, seed, step, test, *(f"{x:.4f}" for x in means)]
                    )
