"""Measure what a second try, a verifier and a budget buy, for chapter 20.

    python -m tools.experiments.second_try     all: ten minutes

The stages of the number game answer 100 held-out games, 32 times each. All in PyTorch,
on one thread. Writes readymade/data/second_try_runs.csv, a row for each measure:

    stage    of chapter 15: "instructions" or "rewards"; "without steps" is tuned on
             chats that answer every game at once
    trained  the seed of its training; 0 is that of the shipped stages
    drawn    the seed of the games, and of what is drawn
    measure  what was measured:
             "greedy", "one": the share of right answers, greedy and drawn; "…, tokens":
             the mean length of an answer
             "vote of 4" (and so on): the share of right votes, each of another 4 of
             the 32 tries; "any of 32": the share of games with a right answer
             "steps", "right with steps", "right without": the share of drawn answers
             that come with steps, and of right ones among these and the others
             "commonest wrong", "different": the mean share of the commonest wrong
             number, and how many different numbers a game gets
             "first, 0.7, 4", "accepted, 0.7, 4" (and so on): of 4 tries, the first that
             a verifier accepts, and the vote of all that it accepts, if it is right
             with probability 0.7 about each try
             "new, 1, 4", "repeated, 1, 4" (and so on): of 4 tries, the one with the
             highest score of a verifier, whose errors have a standard deviation of 1
             and are drawn for each try, or for each number
             "unknown, one", "unknown, numbers", "unknown, all": the share of refusals
             among drawn answers, of votes of 16 in which numbers vote, or refusals,
             too; "unknown, none": the share of questions in which no number could vote
             "forced", "forced, tokens": greedy, if the first word isn't "the"; "forced,
             one", "forced, vote of 4": the same first word, the others drawn four times
             "forced, more", "greedy, more" (and so on): the same for another kind
             "cut 6" (and so on): if the number must be said after so many tokens;
             "cut 6, reached": the share that says the last number written until then
             "drawn tokens", "read tokens": of reward training, all that the model drew
             itself, and all prompts that it read for that
    value    the number
"""

from functools import cache

from readymade.data import number_game as game
from scratch.voting import majority
from tools.experiments.post_training import (
    DPO,
    GROUPS,
    OPERATIONS,
    SAMPLES,
    UPDATES,
    preferred,
    refusal_pairs,
    rewarded,
    right,
    share,
    tuned,
)
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch

CSV = DATA / "second_try_runs.csv"
COLUMNS = "stage", "trained", "drawn", "measure", "value"
# (trained, drawn): the shipped stages three times, and others
RUNS = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
STAGES = "instructions", "rewards", "without steps"
GAMES, TRIES = 100, 32
VOTES = 2, 4, 7, 8, 16, 32
ACCURACIES, ERRORS = (0.7, 0.9, 1.0), (0.5, 1.0)
VERIFIERS, VERIFIED = 50, (1, 4, 32)
CUTS = 0, 2, 6, 12, 18, 24, 30, 36
THE, SAID = game.IDS["the"], game.encode("the answer is")


@cache
def model_of(stage, seed):
    """Return a stage that was trained from a seed, 0 being shipped, and a log.

    The log, of reward training, is that of `rewarded`; None for other stages.
    """
    if stage == "without steps":
        return tuned(game.stages()["base"], seed, worked=0.0), None
    if not seed:
        return game.stages()[stage], None
    if stage == "instructions":
        return tuned(game.stages()["base"], seed), None
    _, steps, rate = DPO[0]
    chat, _ = model_of("instructions", seed)
    refusing = preferred(chat, refusal_pairs(600, 5_000 + seed), steps, rate, seed)
    return rewarded(refusing, right, seed)


def prompts(asked, times=1):
    return [game.prompt(one.text) for one in asked for _ in range(times)]


def drawn(model, asked, tries, seed):
    """Return a model's drawn answers to each question, (questions, tries)."""
    texts = game.answers(model, prompts(asked, tries), temperature=1.0, seed=seed)
    return [texts[at : at + tries] for at in range(0, len(texts), tries)]


def vote_right(asked, numbers, tries):
    """Return the share of right votes, each of another `tries` answers."""
    return np.mean([
        majority(row[at : at + tries]) == one.number
        for one, row in zip(asked, numbers, strict=True)
        for at in range(0, len(row) - tries + 1, tries)
    ])  # fmt: skip


def length(answers):
    return np.mean([len(answer.split()) for answer in answers])


def votes(asked, answers):
    """Yield (measure, value) of the votes on drawn answers to games."""
    numbers = [[game.number_in(one) for one in tries] for tries in answers]
    good = np.array([
        [number == one.number for number in row]
        for one, row in zip(asked, numbers, strict=True)
    ])  # fmt: skip
    flat = [one for tries in answers for one in tries]
    steps = np.array([not OPERATIONS.isdisjoint(one.split()) for one in flat])
    yield "one", good.mean()
    yield "one, tokens", length(flat)
    for n in VOTES:
        yield f"vote of {n}", vote_right(asked, numbers, n)
    yield f"any of {TRIES}", good.any(1).mean()
    yield "steps", steps.mean()
    for name, which in (("right with steps", steps), ("right without", ~steps)):
        if which.any():
            yield name, good.ravel()[which].mean()
    wrong = [
        max((row.count(one) for one in {*row} - {None, question.number}), default=0)
        for question, row in zip(asked, numbers, strict=True)
    ]
    yield "commonest wrong", np.mean(wrong) / TRIES
    yield "different", np.mean([len({*row} - {None}) for row in numbers])


def verified(asked, answers, seed):
    """Yield (measure, value) of what verifiers choose, the mean of VERIFIERS."""
    numbers = [[game.number_in(one) for one in tries] for tries in answers]
    rng = np.random.default_rng(seed)
    for accuracy in ACCURACIES:
        chosen = {n: [] for n in VERIFIED}
        for question, row in zip(asked, numbers, strict=True):
            true = np.array([number == question.number for number in row])
            said = np.array([number is not None for number in row])
            for _ in range(VERIFIERS):
                accepts = (true ^ (rng.random(TRIES) > accuracy)) & said
                for n in chosen:
                    yes = [row[at] for at in np.flatnonzero(accepts[:n])]
                    pair = (yes or row)[0], majority(yes or row[:n])
                    chosen[n].append([one == question.number for one in pair])
        for n, pairs in chosen.items():
            for name, value in zip(
                ("first", "accepted"), np.mean(pairs, 0), strict=True
            ):
                yield f"{name}, {accuracy:g}, {n}", value


def scored(asked, answers, seed):
    """Yield (measure, value) of what has the highest score, the mean of VERIFIERS."""
    numbers = [[game.number_in(one) for one in tries] for tries in answers]
    rng = np.random.default_rng(seed)
    for kind in ("new", "repeated"):
        for error in ERRORS:
            chosen = {n: [] for n in VERIFIED}
            for question, row in zip(asked, numbers, strict=True):
                true = np.array([number == question.number for number in row])
                said = np.array([number is not None for number in row])
                index = np.array([-1 if one is None else one for one in row])
                for _ in range(VERIFIERS):
                    errors = error * rng.normal(size=len(game.NUMBERS))
                    each = errors[index] if kind == "repeated" else errors[:TRIES]
                    scores = np.where(said, true + each, -np.inf)
                    for n in chosen:
                        chosen[n].append(true[scores[:n].argmax()])
            for n, good in chosen.items():
                yield f"{kind}, {error:g}, {n}", np.mean(good)


def unknown(model, seed):
    """Yield (measure, value) of votes on questions that nobody can answer."""
    asked = game.questions(50, "unknown", seed=800 + seed, held_out=True)
    answers = drawn(model, asked, 16, seed)
    yield "unknown, one", np.mean([[*map(game.refuses, row)] for row in answers])
    numbers = [[game.number_in(one) for one in row] for row in answers]
    said = [
        ["refusal" if game.refuses(one) else game.number_in(one) for one in row]
        for row in answers
    ]
    for name, all_votes in {"numbers": numbers, "all": said}.items():
        won = [majority(row) == "refusal" for row in all_votes]
        yield f"unknown, {name}", np.mean(won)
    yield "unknown, none", np.mean([majority(row) is None for row in numbers])


def forced(model, asked, longest=game.LONGEST, tries=1, **sampling):
    """Return answers that don't begin with "the", up to `longest` tokens each."""
    rows = prompts(asked, tries)
    size = max(map(len, rows))
    ids = torch.tensor([[game.PAD] * (size - len(row)) + row for row in rows])
    logits, _ = model.next_logits(ids, (), (ids != game.PAD)[:, None, None])
    others = torch.arange(logits.shape[1]) != THE
    first = torch.where(others, logits, -torch.inf).argmax(-1).tolist()
    if longest == 1:
        return [game.VOCABULARY[one] for one in first]
    begun = [[*row, one] for row, one in zip(rows, first, strict=True)]
    rest = game.answers(model, begun, max_new_tokens=longest - 1, **sampling)
    return [
        f"{game.VOCABULARY[one]} {text}" for one, text in zip(first, rest, strict=True)
    ]


def cut(model, asked, longest):
    """Return the numbers said after so many tokens, and the last ones before that."""
    texts = forced(model, asked, longest) if longest else [""] * len(asked)
    steps = [text.partition("the answer")[0].split()[:longest] for text in texts]
    begun = [
        [*row, *game.encode(" ".join(words)), *SAID]
        for row, words in zip(prompts(asked), steps, strict=True)
    ]
    said = game.answers(model, begun, max_new_tokens=1)
    reached = [
        next((word for word in reversed(words) if word in game.NUMBERS), "")
        for words in steps
    ]
    return said, reached


def budgets(model, asked, kinds, seed):
    """Yield (measure, value) of greedy answers, free, forced and cut."""
    for name, texts in {
        "greedy": game.answers(model, prompts(asked)),
        "forced": forced(model, asked),
    }.items():
        yield name, share(right, asked, texts)
        yield f"{name}, tokens", length(texts)
    drawn = forced(model, asked, tries=4, temperature=1.0, seed=seed)
    numbers = [game.number_in(text) for text in drawn]
    four = [numbers[at : at + 4] for at in range(0, len(numbers), 4)]
    for name, tries in (("one", 1), ("vote of 4", 4)):
        yield f"forced, {name}", vote_right(asked, four, tries)
    for kind, others in kinds.items():
        greedy = game.answers(model, prompts(others))
        yield f"greedy, {kind}", share(right, others, greedy)
        yield f"forced, {kind}", share(right, others, forced(model, others))


def cuts(model, asked):
    """Yield (measure, value) of greedy answers, cut after so many tokens."""
    for longest in CUTS:
        said, reached = cut(model, asked, longest)
        wanted = [game.NUMBERS[one.number] for one in asked]
        yield f"cut {longest}", np.mean(np.array(said) == wanted)
        if longest:
            yield f"cut {longest}, reached", np.mean(np.array(said) == reached)


def trained_tokens(seed, lengths):
    """Yield (measure, value): the tokens that reward training drew, and read for it."""
    yield "drawn tokens", (lengths * GROUPS * SAMPLES).sum()
    asked = game.questions(UPDATES * GROUPS, "game", seed=1_000 + seed)
    yield "read tokens", sum(map(len, prompts(asked, SAMPLES)))


def measured(stage, trained, seed):
    """Yield (measure, value) of a stage."""
    model, log = model_of(stage, trained)
    model.eval()
    asked = game.questions(GAMES, "game", seed=700 + seed, held_out=True)
    kinds = {
        kind: game.questions(GAMES, kind, seed=900 + seed, held_out=True)
        for kind in [*game.KINDS][1:]
    }
    answers = drawn(model, asked, TRIES, seed)
    yield from votes(asked, answers)
    yield from budgets(model, asked, kinds, seed)
    if stage != "without steps":
        yield from cuts(model, asked)
        yield from verified(asked, answers, seed)
        yield from scored(asked, answers, seed)
        yield from unknown(model, seed)
    if log is not None:
        yield from trained_tokens(trained, lengths=log[:, -1])


def main():
    torch.set_num_threads(1)
    with new_table(CSV, COLUMNS) as table:
        for trained, seed in RUNS:
            for stage in STAGES:
                for measure, value in measured(stage, trained, seed):
                    table.writerow([stage, trained, seed, measure, f"{value:.4f}"])


if __name__ == "__main__":
    main()
