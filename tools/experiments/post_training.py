"""Measure what the stages of chapter 15 do to a model.

    python -m tools.experiments.post_training       every seed: fifteen minutes
    python -m tools.experiments.post_training 1     one seed; other rows are kept

The base model of the number game is tuned on chats, on preferences and by rewards, each
from four seeds, which decide the chats, the order of the batches and what is sampled.
All in PyTorch, on one thread. Writes
readymade/data/post_training_runs.csv, a row for each model, seed and measure.
"""

import copy
import sys
from functools import partial
from math import comb

from readymade.data import number_game as game
from readymade.weights import load_checkpoint
from scratch.torch import (
    answer_log_probs,
    cosine_schedule,
    cross_entropy,
    dpo_loss,
    fit,
    group_advantages,
    inference,
    policy_gradient_loss,
)
from tools.experiments.tables import DATA, replace_seed
from tools.experiments.train_number_game import next_token_loss, rows

import numpy as np
import torch

SEEDS = 1, 2, 3, 4
CSV = DATA / "post_training_runs.csv"
COLUMNS = "model", "seed", "measure", "value"
TUNING_STEPS, CHATS = 250, 32
PAIRS = 16  # of answers, a batch
UPDATES, GROUPS, SAMPLES = 24, 16, 8
EXAM = {kind: game.questions(100, kind, seed=77, held_out=True) for kind in game.KINDS}
HARD = game.questions(50, "game", seed=4321, held_out=True)
POWERS = 1, 2, 4, 8, 16, 32
OPERATIONS = {"add", "take", "double"}  # only answers with steps have them


# Instruction tuning


def tuned(base, seed, worked=0.4, on="answers", replay=0):
    """Return a copy of the base model, tuned on chats."""
    model, rng = copy.deepcopy(base), np.random.default_rng(seed)
    chats = game.chats(12_000, seed=100 + seed, worked=worked)
    ids, mask = game.chat_rows(
        [game.prompt(question) for question, _ in chats],
        [f"{answer} <|end|>" for _, answer in chats],
    )
    if on == "all":
        mask = ids != game.PAD
    pretraining = rows(4_000, seed=0) if replay else None

    def batches():
        for _ in range(TUNING_STEPS):
            some = rng.choice(len(ids), CHATS - replay, replace=False)
            batch, targets = ids[some], np.where(mask[some], ids[some], game.PAD)
            if replay:
                old = pretraining[rng.choice(len(pretraining), replay, replace=False)]
                width = max(batch.shape[1], old.shape[1])
                pad = [np.pad(one, ((0, 0), (0, width - one.shape[1])))
                       for one in (batch, targets, old)]  # fmt: skip
                batch = np.concatenate([pad[0], pad[2]])
                targets = np.concatenate([pad[1], pad[2]])
            longest = (batch != game.PAD).sum(1).max()
            yield batch[:, :longest], targets[:, :longest]

    def loss(model, ids, targets):
        return cross_entropy(model(ids[:, :-1]), targets[:, 1:], game.PAD)

    rate = partial(cosine_schedule, peak=4e-3, warmup=20, last_step=TUNING_STEPS)
    fit(model, batches(), loss, rate)
    return model


# Preferences


def preferred(model, pairs, steps, rate, seed, beta=0.1):
    """Return a copy of a model, tuned on (question, chosen, rejected)."""
    reference, model = model, copy.deepcopy(model)
    rng = np.random.default_rng(seed)

    def batches():
        for _ in range(steps):
            some = [pairs[i] for i in rng.choice(len(pairs), PAIRS, replace=False)]
            yield pair_rows(some, reference)

    def loss(model, ids, mask, before):
        log_p = answer_log_probs(model(ids), ids, mask)
        return dpo_loss(*log_p.chunk(2), *before.chunk(2), beta)

    fit(model, batches(), loss, rate, weight_decay=0.0)
    return model


def pair_rows(pairs, reference):
    """Return ids, mask and the reference's log-probabilities: all chosen ones first."""
    asked, chosen, rejected = zip(*pairs, strict=True)
    ids, mask = game.chat_rows(
        [game.prompt(one) for one in asked] * 2,
        [f"{one} <|end|>" for one in chosen + rejected],
    )
    ids, mask = torch.tensor(ids), torch.tensor(mask)
    return ids, mask, log_probs(reference, ids, mask)


def log_probs(model, ids, mask):
    with inference(model):
        return answer_log_probs(model(ids), ids, mask)


def refusal_pairs(count, seed, held_out=False):
    """Return pairs for questions that have no answer: a refusal, then a number."""
    rng = np.random.default_rng(seed)
    return [
        (one.text, game.REFUSAL, game.said_number(int(rng.integers(1, 61))))
        for one in game.questions(count, "unknown", seed, held_out)
    ]


def length_pairs(count, seed, short):
    """Return pairs of raters who prefer short answers, or those with steps."""
    asked = game.questions(count, "game", seed=seed)
    pairs = [(one.text, one.direct, one.worked) for one in asked]
    return pairs if short else [(one, long, brief) for one, brief, long in pairs]


def pair_accuracy(model, reference, pairs):
    """Return the mean margin, the pair accuracy, and both changes of log p."""
    ids, mask, before = pair_rows(pairs, reference)
    change = (log_probs(model, ids, mask) - before).chunk(2)
    margin = 0.1 * (change[0] - change[1])
    return {
        "margin": margin.mean().item(),
        "pair accuracy": (margin > 0).float().mean().item(),
        "chosen": change[0].mean().item(),
        "rejected": change[1].mean().item(),
    }


# Rewards


def right(question, answer):
    """Reward the right number with 1."""
    return float(game.is_right(question, answer))


def work_shown(question, answer):
    """Reward each statement, up to eight, with an eighth, if the answer ends."""
    ended = answer.endswith("<|end|>")
    return min(steps(answer), 8) / 8 if ended else 0.0


def rewarded(model, reward, seed, beta=0.1, unpaid=0):
    """Return a copy of a model, trained by rewards for its own answers, and a log.

    Each update has `unpaid` groups of other questions, for the KL term alone.
    """
    reference, model, log = model, copy.deepcopy(model), []

    def rollouts():
        asked = game.questions(UPDATES * GROUPS, "game", seed=1_000 + seed)
        mixed = game.questions(4_000, seed=9_000 + seed)
        others = [one for one in mixed if one.kind != "game"]
        for update in range(UPDATES):
            group = asked[update * GROUPS : (update + 1) * GROUPS]
            group += others[update * unpaid : (update + 1) * unpaid]
            each = [one for one in group for _ in range(SAMPLES)]
            prompts = [game.prompt(one.text) for one in each]
            drawn = seed * 1_000_000 + update
            answers = game.answers(model, prompts, temperature=1.0, seed=drawn)
            paid = [*zip(each, answers, strict=True)][: GROUPS * SAMPLES]
            judges = reward, *LOGGED.values()
            log.append([np.mean([judge(*pair) for pair in paid]) for judge in judges])
            earned = torch.zeros(len(each))
            earned[: len(paid)] = torch.tensor([reward(*pair) for pair in paid])
            earned = earned.reshape(-1, SAMPLES)
            yield *game.chat_rows(prompts, answers), group_advantages(earned).ravel()

    def loss(model, ids, mask, advantages):
        logits = model(ids)
        value = policy_gradient_loss(answer_log_probs(logits, ids, mask), advantages)
        if beta:
            with torch.no_grad():
                before = reference(ids)
            value = value + beta * divergence(logits, before, mask)
        return value

    fit(model, rollouts(), loss, 1e-3, weight_decay=0.0)
    return model, np.array(log)


def divergence(logits, before, mask):
    """Return KL(model || reference) of an answer, in nats, summed over its tokens."""
    log_p, log_q = (torch.log_softmax(one[:, :-1], -1) for one in (logits, before))
    kl = (log_p.exp() * (log_p - log_q)).sum(-1)
    return torch.where(mask[:, 1:], kl, 0.0).sum(1).mean()


# Measures


def steps(text):
    """Return the number of statements in a text."""
    return text.split().count("is")


def share(judge, asked, answers):
    """Return the mean score of a judge over all questions and their answers."""
    return np.mean([judge(*pair) for pair in zip(asked, answers, strict=True)])


LOGGED = {
    "right": right,
    "steps": lambda _, answer: not OPERATIONS.isdisjoint(answer.split()),
    "length": lambda _, answer: len(answer.split()),
}


def exam(model, base_test):
    """Return {measure: value} of a model."""
    values = {}
    for kind, asked in EXAM.items():
        prompts = [game.prompt(one.text) for one in asked]
        greedy = game.answers(model, prompts)
        values[kind] = share(game.is_right, asked, greedy)
        if kind == "game":
            sampled = game.answers(model, prompts, temperature=1.0, seed=5)
            values["game, sampled"] = share(right, asked, sampled)
            for name in ("steps", "length"):
                values[name] = share(LOGGED[name], asked, greedy)
                values[f"{name}, sampled"] = share(LOGGED[name], asked, sampled)
            values["ends"] = np.mean([one.endswith("<|end|>") for one in greedy])
        else:
            values[f"{kind}, refused"] = np.mean([*map(game.refuses, greedy)])
    with inference(model):
        values["document loss"] = next_token_loss(model, base_test).item()
    return values


def divergence_from(reference, model):
    """Return the mean divergence of a model's sampled answers, in nats."""
    prompts = [game.prompt(one.text) for one in EXAM["game"][:100]]
    answers = game.answers(model, prompts, temperature=1.0, seed=3)
    ids, mask = map(torch.tensor, game.chat_rows(prompts, answers))
    with inference(model), inference(reference):
        return divergence(model(ids), reference(ids), mask).item()


def pass_at(model, samples=32):
    """Return {"pass@k": …}, the share of problems that k attempts solve."""
    each = [one for one in HARD for _ in range(samples)]
    prompts = [game.prompt(one.text) for one in each]
    answers = game.answers(model, prompts, temperature=1.0, seed=9)
    good = [right(*pair) for pair in zip(each, answers, strict=True)]
    wrong = samples - np.reshape(good, (-1, samples)).sum(1).astype(int)
    return {
        f"pass@{k}": np.mean([1 - comb(one, k) / comb(samples, k) for one in wrong])
        for k in POWERS
    }


def measured(seed):
    """Yield (model, seed, measure, value) for each stage."""
    base, _ = load_checkpoint(game.base_path())
    base_test = torch.tensor(rows(600, seed=1_000_000))

    def table(name, model, others=None):
        values = exam(model, base_test) | (others or {})
        return [
            [name, seed, measure, f"{value:.4f}"] for measure, value in values.items()
        ]

    chat = tuned(base, seed)
    yield from table("tuned", chat)
    yield from table("tuned on all tokens", tuned(base, seed, on="all"))
    yield from table("tuned with replay", tuned(base, seed, replay=8))

    pairs = refusal_pairs(600, 5_000 + seed)
    tested = refusal_pairs(100, 6_000 + seed, held_out=True)
    for name, steps, rate in DPO:
        one = preferred(chat, pairs, steps, rate, seed)
        others = pair_accuracy(one, chat, tested) | {"KL": divergence_from(chat, one)}
        if steps == 15:
            others |= pass_at(one)
            refusing = one
        yield from table(name, one, others)

    for name, reward, beta, unpaid in REWARDS:
        one, log = rewarded(refusing, reward, seed, beta, unpaid)
        names = ["reward", *LOGGED]
        others = {"KL": divergence_from(refusing, one)}
        for when, values in (("first", log[:5]), ("last", log[-5:])):
            means = zip(names, values.mean(0), strict=True)
            others |= {f"{what}, {when}": value for what, value in means}
        if name == "rewarded":
            others |= pass_at(one)
            best = one
        yield from table(name, one, others)

    for name, short, steps, rate in TASTES:
        pairs = length_pairs(600, 7_000 + seed, short)
        tested = length_pairs(100, 8_000 + seed, short)
        one = preferred(best, pairs, steps, rate, seed)
        yield from table(name, one, pair_accuracy(one, best, tested))

    direct = tuned(base, seed, worked=0.0)
    yield from table("tuned without steps", direct)
    one, _ = rewarded(direct, right, seed)
    yield from table("the same, rewarded", one)


# name, steps and learning rate
DPO = [
    ("15 steps of DPO", 15, 1e-4),
    ("60 faster steps", 60, 5e-4),
]
# name, reward, beta of the KL term and groups without a reward
REWARDS = [
    ("rewarded", right, 0.1, 0),
    ("rewarded, no KL term", right, 0.0, 0),
    ("rewarded, KL on all kinds", right, 0.1, 8),
    ("work shown", work_shown, 0.1, 0),
]
# name, whether raters prefer short answers, steps and learning rate
TASTES = [
    ("short", True, 60, 3e-4),
    ("short, 15 gentler steps", True, 15, 1e-4),
    ("steps preferred", False, 60, 3e-4),
]


def main():
    torch.set_num_threads(1)
    for seed in map(int, sys.argv[1:] or SEEDS):
        replace_seed(CSV, COLUMNS, seed, list(measured(seed)))


if __name__ == "__main__":
    main()
