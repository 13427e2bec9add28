"""Explore: choose the number of tries on some games, and judge it on others."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.game_tries import tries
from readymade.data.number_game import LONGEST, number_in, prompt, questions
from scratch.random_numbers import uniform_numbers
from scratch.voting import majority

import numpy as np

STAGE, GAMES, MOST, SEED = "instructions", 40, 8, 20


@cache
def pool(one_seed=False):
    """Return the right numbers of the games, and of MOST tries at each what they say.

    The last is how many tokens each try has. Shapes: (games,), twice (games, tries).
    """
    games = questions(GAMES, "game", seed=SEED, held_out=True)
    if one_seed:  # all tries at a game have the numbers of its row
        uniform = uniform_numbers(SEED, GAMES, LONGEST)[:, None].repeat(MOST, 1)
    else:
        uniform = uniform_numbers(SEED, GAMES * MOST, LONGEST)
        uniform = uniform.reshape(GAMES, MOST, LONGEST)
    texts = tries(STAGE, [prompt(game.text) for game in games], uniform)
    said = [[number_in(one) for one in tried] for tried in texts]
    tokens = [[len(one.split()) for one in tried] for tried in texts]
    return [game.number for game in games], said, np.array(tokens)


def values(draw):
    """Draw a split of the games, and how many right ones are enough."""
    while True:
        split, least = int(draw.integers(1000)), int(draw.integers(7, 14))
        if all_differ(split, least):
            return {"split": split, "least": least}


def halves(split):
    """Return the games to choose on and those to judge on, as lists of places."""
    order = np.random.default_rng(split).permutation(GAMES).tolist()
    return order[: GAMES // 2], order[GAMES // 2 :]


def all_differ(split, least):
    """Whether every mistake gives other numbers, and some number of tries is enough.

    It is even, so that trying the odd ones alone is noticed.
    """
    found = [reference(split, least), *mistaken(split, least).values()]
    apart = {tuple(round(one, 3) for one in numbers) for numbers in found}
    reached = found[0][0] % 2 == 0 and right_at(halves(split)[0], MOST) >= least
    return reached and len(apart) == len(found)


def last_tie(said):
    """Vote, but of several with the most votes take the last."""
    return majority(said[::-1])


def right_at(places, count, rule=majority, one_seed=False):
    """Return how many of these games the vote of `count` tries gets right."""
    right, said, _ = pool(one_seed)
    return sum(rule(said[at][:count]) == right[at] for at in places)


def right_tries(places, count):
    """Return for each of these games how many of its tries are right."""
    right, said, _ = pool()
    return [said[at][:count].count(right[at]) for at in places]


def written(places, count):
    """Return how many tokens the tries at these games have."""
    *_, tokens = pool()
    return int(tokens[places, :count].sum())


def enough(places, least, **how):
    """Return the smallest number of tries whose vote is right often enough."""
    counts = range(1, MOST + 1)
    return next((n for n in counts if right_at(places, n, **how) >= least), MOST)


def numbers(test, count, right):
    """Return what is asked for, where so many games are right."""
    return [count, right / len(test), written(test, count) / max(right, 1)]


def account(chosen, test, least, **how):
    """Return what is asked for, with one rule for both halves."""
    count = enough(chosen, least, **how)
    return numbers(test, count, right_at(test, count, **how))


def reference(split, least):
    return account(*halves(split), least)


@cache
def mistaken(split, least):
    """Return what a reader may take for the three numbers."""
    chosen, test = halves(split)
    count, share, cost = account(chosen, test, least)
    tried, tokens = right_tries(test, count), written(test, count)
    best = max(range(1, MOST + 1), key=lambda n: right_at(chosen, n))
    return {
        "chosen on the test": account(test, test, least),
        "judged where chosen": account(chosen, chosen, least),
        "halves swapped": account(test, chosen, least),
        "best": numbers(test, best, right_at(test, best)),
        "ties": account(chosen, test, least, rule=last_tie),
        "one seed": account(chosen, test, least, one_seed=True),
        "any": numbers(test, count, np.count_nonzero(tried)),
        "single tries": [count, sum(tried) / count / len(test), tokens / sum(tried)],
        "one try paid": [count, share, cost / count],
        "all tries paid": [count, share, cost * written(test, MOST) / tokens],
        "a question": [count, share, share * cost],
        "chosen paid": [count, share, cost * (1 + written(chosen, count) / tokens)],
        "no end": [count, share, cost - count / share],
    }


EXERCISE = Exercise(
    title="How many tries are enough?",
    kind="explore",
    difficulty=2,
    minutes=10,
    prompt="""
Let chapter 15's model after instruction tuning play 40 held-out games:
`questions(40, "game", seed=20, held_out=True)`. Draw eight answers to each in **one**
call of `answers`, with each prompt eight times in a row, at temperature 1 and with seed
20. A vote of n is the vote of a game's first n answers.

Split the games at random: `order = np.random.default_rng({{split}}).permutation(40)`.
On the first 20 games of this order, choose the number of tries, the **smallest** n for
which the vote is right in at least {{least}} of the 20. On the other 20, judge it: what
share of them does the vote of n get right, and how many tokens does it write for each
**right** answer (all words of all n answers, `<|end|>` included, without prompts)? Give
n, the share and the tokens, the last two to three decimals.
""",
    starter="""
chosen = ...  # such as [2, 0.35, 82.143]
""",
    solution={
        "torch": """
from readymade.data import number_game as game
from scratch.voting import majority

model = game.stages()["instructions"]
games = game.questions(40, "game", seed=20, held_out=True)
prompts = [game.prompt(one.text) for one in games]
texts = game.answers(
    model,
    [prompt for prompt in prompts for _ in range(8)],
    temperature=1.0,
    seed=20,
)
said = [game.number_in(text) for text in texts]


def is_right(at, n):
    return majority(said[8 * at : 8 * at + n]) == games[at].number


order = np.random.default_rng({{split}}).permutation(40)
n = 1
while sum(is_right(at, n) for at in order[:20]) < {{least}}:
    n += 1
right = sum(is_right(at, n) for at in order[20:])
tokens = sum(
    len(text.split())
    for at in order[20:]
    for text in texts[8 * at : 8 * at + n]
)
chosen = [n, right / 20, tokens / right]
""",
        "tensorflow": """
from readymade.data import number_game as game
from scratch.voting import majority

model = game.stages("tensorflow")["instructions"]
games = game.questions(40, "game", seed=20, held_out=True)
prompts = [game.prompt(one.text) for one in games]
texts = game.answers(
    model,
    [prompt for prompt in prompts for _ in range(8)],
    temperature=1.0,
    seed=20,
)
said = [game.number_in(text) for text in texts]


def is_right(at, n):
    return majority(said[8 * at : 8 * at + n]) == games[at].number


order = np.random.default_rng({{split}}).permutation(40)
n = 1
while sum(is_right(at, n) for at in order[:20]) < {{least}}:
    n += 1
right = sum(is_right(at, n) for at in order[20:])
tokens = sum(
    len(text.split())
    for at in order[20:]
    for text in texts[8 * at : 8 * at + n]
)
chosen = [n, right / 20, tokens / right]
""",
    },
    why="""
A number that is chosen because it did well on some games was partly lucky there. Take
1,000 random splits and ask for 12 of 20: where eight tries can reach that, the chosen
number gets 63 % right in the half that chose it and 57 % in the other. (Part of this
gap is arithmetic: a half with the easier of 40 games leaves the harder ones to the
other.) So the number to report is that of the other half.

Tokens are what it costs. On all 40 games, one try is right in 28 % and a vote of eight
in 68 %, while the tokens a right answer go from 42 to 175.
""",
    hints=(
        "The answers to game `at` are `texts[8 * at : 8 * at + 8]`. Let `number_in` "
        "read them, and `majority` of `scratch.voting` vote.",
        "Write a function of a game and n that says whether the vote is right. Try n = "
        "1, 2, 3, … on the first 20 games of the order.",
        "On the other 20, n stays as it is. Add up the words of the first n answers to "
        "each of them, and divide by the number of games that the vote gets right.",
    ),
    mistakes="""
The number of tries is chosen on the games that judge it. Choose it on the first 20.
+ chosen = mistaken(split, least)["chosen on the test"]

You judge the number of tries on the games on which it was chosen. There it is right in
{{least}} of 20 because you chose it so: take the other 20.
+ chosen = mistaken(split, least)["judged where chosen"]

The halves are swapped: the first 20 games of the order choose, the other 20 judge.
+ chosen = mistaken(split, least)["halves swapped"]

You took the number of tries that is best on the first 20 games. The smallest that gets
{{least}} right is enough.
+ chosen = mistaken(split, least)["best"]

Of several numbers with the most votes, you take the one that came last. `majority`
takes the one that was given first.
+ chosen = mistaken(split, least)["ties"]

All tries at a game are the same in your answer, because each call has the same seed and
a game's row the same random numbers. Draw all in one call.
+ chosen = mistaken(split, least)["one seed"]

You count a game if any of its n answers is right. Nobody tells which one that is: let
them vote.
+ chosen = mistaken(split, least)["any"]

The number of tries is right. You count right answers one by one, without a vote.
+ chosen = mistaken(split, least)["single tries"]

The first two numbers are right. You count the tokens of one answer to each game. All n
are written.
+ chosen = mistaken(split, least)["one try paid"]

The first two numbers are right. You count the tokens of all eight answers. Only the
first n vote.
+ chosen = mistaken(split, least)["all tries paid"]

The first two numbers are right. The last is the tokens of a game. Divide by the games
that the vote gets right.
+ chosen = mistaken(split, least)["a question"]

The first two numbers are right. You count the tokens of all 40 games. Those of the 20
that judge are asked for.
+ chosen = mistaken(split, least)["chosen paid"]

The first two numbers are right. You leave out the token that ends an answer.
+ chosen = mistaken(split, least)["no end"]

The second number counts games. Their share of 20 is asked for.
+ chosen = [right[0], 20 * right[1], right[2]]

The order is the number of tries, the share, then the tokens.
+ chosen = [right[0], right[2], right[1]]
""",
    reference=reference,
    values=values,
    book={"split": 47, "least": 11},
    tolerance=0.0006,
    equivalent={"n = 2": "One try is not enough here."},
)
