"""Predict how many targets of a chat count in the loss of instruction tuning."""

from exercises.engine.exercise import Exercise
from readymade.data.number_game import questions


def values(draw):
    """Draw two games and the answers to them."""
    one, other = questions(2, "game", seed=int(draw.integers(1_000_000)))
    return {
        "question": one.text,
        "answer": one.worked,
        "other_question": other.text,
        "other_answer": other.worked,
    }


def reference(question, answer, other_question, other_answer):
    answers = len(f"{answer} {other_answer}".split()) + 2  # and <|end|>
    asked = len(f"{question} {other_question}".split()) + 2
    tokens = asked + answers + 2 + 2  # <|user|> and <|assistant|>, twice
    return [answers, tokens - 1]


EXERCISE = Exercise(
    title="Which targets count?",
    kind="predict",
    difficulty=1,
    minutes=10,
    prompt="""
A chat of two turns is put into the chat template of this chapter, and nothing before
it:

- User: “{{question}}”
- Assistant: “{{answer}}”
- User: “{{other_question}}”
- Assistant: “{{other_answer}}”

Each word, number and punctuation mark is one token, and so is each special token. How
many targets count in the loss of instruction tuning, if all of the assistant's answers
do? And how many would count if the model were trained on the whole row as a base model
is, on each token after the first?
""",
    starter="""
targets = ...  # the two numbers, such as [7, 9]
""",
    solution="""
answers = "{{answer}} {{other_answer}}"
questions = "{{question}} {{other_question}}"
counted = len(answers.split()) + 2  # the words, and <|end|> twice
asked = len(questions.split()) + 2
tokens = counted + asked + 2 + 2  # <|user|> and <|assistant|>
targets = [counted, tokens - 1]
""",
    why="""
The loss counts the tokens that the assistant writes, and `<|end|>` is one of them: it
is how the model learns to stop. `<|assistant|>` is not, because it belongs to what the
model is given. Each turn has two special tokens around it, and the first token of a row
is never a target.
""",
    hints=(
        "What does the assistant have to write, from the first word to the last one?",
        "Count the words, numbers and punctuation marks of its answers. Which special "
        "token does it write itself?",
        "The whole row has the words of all four texts and eight special tokens. Its "
        "first token has nothing that predicts it.",
    ),
    mistakes="""
`<|end|>` counts, too. A model that never learned to write it would not stop.
+ targets = [right[0] - 2, right[1]]

Only one `<|end|>` is in your count. Each answer ends with its own.
+ targets = [right[0] - 1, right[1]]

`<|assistant|>` doesn't count. It is given to the model.
+ targets = [right[0] + 2, right[1]]

Only the last answer is in your first number. Both count.
+ targets = [len(other_answer.split()) + 1, right[1]]

Only the first answer is in your first number. Both count.
+ targets = [len(answer.split()) + 1, right[1]]

You count the questions in the first number. They are read, not predicted.
+ targets = [right[0] + len(f"{question} {other_question}".split()), right[1]]

The first token of the row is no target: nothing predicts it.
+ targets = [right[0], right[1] + 1]

No special tokens are in your count. Each answer ends with `<|end|>`, and the row has
eight.
+ targets = [right[0] - 2, right[1] - 7]

The special tokens are missing in the second number.
+ targets = [right[0], right[1] - 8]

The numbers are in the wrong order.
+ targets = right[::-1]

Two numbers are wanted.
+ targets = right[0]
""",
    reference=reference,
    values=values,
    book={
        "question": "start with five , add three , double . what do you get ?",
        "answer": "five add three is eight . eight double is sixteen . "
        "the answer is sixteen .",
        "other_question": "what comes after nine ?",
        "other_answer": "the answer is ten .",
    },
)
