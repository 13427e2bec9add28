"""Explore: how likely the base model finds the right answer, given at once."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.game_model import base_model, run_base, token_table
from exercises.engine.numpy_transformer import softmax
from readymade.data.number_game import (
    END_OF_TEXT,
    IDS,
    NUMBERS,
    encode,
    questions,
)


def values(draw):
    """Draw a game whose right answer is not the likeliest, but not hopeless either."""
    while True:
        game = questions(1, "game", seed=int(draw.integers(1_000_000)))[0]
        if game.steps.count("is") < 3:
            continue
        found = {"question": game.text, "right_word": NUMBERS[game.number]}
        right, likeliest = reference(**found)
        if right > 0.002 and likeliest > right + 0.005:
            p = next_word(tuple(encode(f"{game.text} the answer is")))
            if abs(p[IDS[found["right_word"]]] - right) > 0.001:
                return found


def reference(question, right_word):
    p = after(question)
    return [float(p[IDS[right_word]]), float(numbers(p).max())]


def after(question, end="the answer is"):
    """Return the probabilities of what follows a question and half an answer."""
    return next_word((END_OF_TEXT, *encode(f"{question} {end}")))


def numbers(p):
    return p[[IDS[word] for word in NUMBERS]]


@cache
def next_word(ids):
    """Run the shipped Llama: the probabilities of the next token."""
    _, layers = run_base(ids)
    x = base_model().norm(layers[-1].x, "norm")[-1]
    return softmax(x @ token_table().T)


EXERCISE = Exercise(
    title="Answered at once",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Can the base model do a game in its head? Load it (`base_path()` of
`readymade.data.number_game`) and let a document begin with `<|endoftext|>`, the
question “{{question}}” and the words *the answer is*. What is the probability of the
right number as the next token, and what is that of the likeliest number? To four
decimals.
""",
    starter="""
right_and_likeliest = ...  # such as [0.1250, 0.2500]
""",
    solution={
        "torch": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path())
text = "<|endoftext|> {{question}} the answer is"
ids = torch.tensor([game.encode(text)])
with torch.no_grad():
    p = torch.softmax(model(ids)[0, -1], dim=0)
numbers = [float(p[game.IDS[word]]) for word in game.NUMBERS]
right = float(p[game.IDS["{{right_word}}"]])
right_and_likeliest = [right, max(numbers)]
""",
        "tensorflow": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path(), "tensorflow")
text = "<|endoftext|> {{question}} the answer is"
ids = tf.constant([game.encode(text)])
p = tf.nn.softmax(model(ids)[0, -1])
numbers = [float(p[game.IDS[word]]) for word in game.NUMBERS]
right = float(p[game.IDS["{{right_word}}"]])
right_and_likeliest = [right, max(numbers)]
""",
    },
    why="""
The model guesses: another number is likelier than the right one, although the same
model works the game out step by step when it is written like its documents. Two layers
are few for several steps in a row, and each written step adds computation that later
steps can read. So rewards had something to select: answers with steps.
""",
    hints=(
        "`encode` turns words into ids, special tokens included. Put `<|endoftext|>` "
        "before the question.",
        "The logits of the last position are those of the next token. Take their "
        "softmax.",
        "Work the game out yourself to know the right number; `IDS` has its id, and "
        "`NUMBERS` the words of all numbers.",
    ),
    mistakes="""
The numbers are in the wrong order: that of the right number comes first.
+ right_and_likeliest = right[::-1]

The document has no beginning: put `<|endoftext|>` before the question.
+ p = next_word(tuple(encode(f"{question} the answer is")))
+ right_and_likeliest = [float(p[IDS[right_word]]), float(numbers(p).max())]

Both are nearly 0: where you ask, the next word is hardly ever a number. Let the
document end with “the answer is”.
+ p = after(question, "")
+ right_and_likeliest = [float(p[IDS[right_word]]), float(numbers(p).max())]

Both are the probability of the right number.
+ right_and_likeliest = [right[0], right[0]]

Both are the probability of the likeliest number, which is not the right one.
+ right_and_likeliest = [right[1], right[1]]

Two numbers are wanted. The second is missing.
+ right_and_likeliest = right[0]

Two numbers are wanted. The first is missing.
+ right_and_likeliest = right[1]

Those are percentages. Probabilities are wanted.
+ right_and_likeliest = [100 * right[0], 100 * right[1]]

Those are logarithms. Probabilities are wanted.
+ right_and_likeliest = np.log(right).tolist()
""",
    reference=reference,
    values=values,
    tolerance=0.0002,
    equivalent={
        "p = torch.softmax(model(ids)[-1, -1], dim=0)": "There is one text.",
        "p = torch.softmax(model(ids)[0, -1], dim=-1)": "There is one axis.",
        "p = tf.nn.softmax(model(ids)[-1, -1])": "There is one text.",
    },
)
