"""Predict how many targets of a chat count in the loss of instruction tuning."""

from exercises.engine.exercise import Exercise
from readymade.data.number_game import questions


def values(draw):
    """Draw a game and an answer to it, with its steps or without them."""
    # Long games, and those that double often, are rare: here they are as likely.
    length = 5 + 6 * int(draw.integers(2, 6)) - int(draw.integers(3))
    while True:
        (game,) = questions(1, "game", seed=int(draw.integers(1_000_000)))
        if len(game.worked.split()) == length:
            answer = game.worked if draw.integers(2) else game.direct
            return {"question": game.text, "answer": answer}


def reference(question, answer):
    answered = len(answer.split()) + 1  # and <|end|>
    asked = len(question.split()) + 3  # and <|user|>, <|end|>, <|assistant|>
    return [answered, asked + answered - 1]


def words(text):
    """Count the words and numbers of a text, without its punctuation."""
    return sum(part not in {",", ".", "?"} for part in text.split())


EXERCISE = Exercise(
    title="Which targets count?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A chat of one turn is put into the chat template of this chapter, and nothing before it:

- User: “{{question}}”
- Assistant: “{{answer}}”

Each word, number and punctuation mark is one token, and so is each special token. How
many targets count in the loss of instruction tuning? And how many would count if the
model were trained on the whole row as a base model is, on each token after the first?
""",
    starter="""
targets = ...  # the two numbers, such as [7, 9]
""",
    solution="""
answer = "{{answer}}"
question = "{{question}}"
counted = len(answer.split()) + 1  # and <|end|>
asked = len(question.split()) + 1
tokens = counted + asked + 2  # <|user|> and <|assistant|>
targets = [counted, tokens - 1]
""",
    why="""
The loss counts the tokens that the assistant writes, and `<|end|>` is one of them: it
is how the model learns to stop. `<|assistant|>` is not, because it belongs to what the
model is given. Question and answer have two special tokens each around them, and the
first token of a row is never a target.
""",
    hints=(
        "What does the assistant have to write, from the first word to the last one?",
        "Count the words, numbers and punctuation marks of its answer. Which special "
        "token does it write itself?",
        "The whole row has the words of both texts and four special tokens. Its first "
        "token has nothing that predicts it.",
    ),
    mistakes="""
`<|end|>` counts, too. A model that never learned to write it would not stop.
+ targets = [right[0] - 1, right[1]]

Your first number has one special token too many. `<|assistant|>` doesn't count, nor
does the `<|end|>` of the question: both are given to the model.
+ targets = [right[0] + 1, right[1]]

Your first number has all tokens from the question's `<|end|>` on. What stands before
the answer is given to the model.
+ targets = [right[0] + 2, right[1]]

You count the question in the first number. It is read, not predicted.
+ targets = [right[0] + len(question.split()), right[1]]

In your first number, the whole row counts. Only what the assistant writes does.
+ targets = [right[1], right[1]]

The first token of the row is no target: nothing predicts it.
+ targets = [right[0], right[1] + 1]

You count words and numbers only. A punctuation mark is a token, too.
+ targets = [words(answer) + 1, words(f"{question} {answer}") + 3]

No special tokens are in your count. The answer ends with `<|end|>`, and the row has
four.
+ targets = [right[0] - 1, right[1] - 4]

The special tokens are missing in the second number. There are four of them.
+ targets = [right[0], right[1] - 4]

In your second number, `<|end|>` is missing, after the question and after the answer.
+ targets = [right[0], right[1] - 2]

The number for instruction tuning comes first.
+ targets = right[::-1]

Two numbers are wanted.
+ targets = right[0]
""",
    reference=reference,
    values=values,
    book={
        "question": "start with five , add three . what do you get ?",
        "answer": "five add three is eight . the answer is eight .",
    },
)
