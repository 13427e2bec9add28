"""The number game: a little language in which a program can check every answer.

"start with five , add three , double . what do you get ?" has one right answer. A token
is a word, and a number from zero to sixty is one token. The documents, questions and
chats of chapter 15 are drawn from a seed, so no data is bundled, apart from the base
model, which was trained on the documents, and its stages.
"""

import random
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readymade.data.number_words import english_tokens
from scratch.checks import require_choice
from scratch.tokenization import pad_rows

import numpy as np

SPECIAL = ("[PAD]", "<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>")
PAD, END_OF_TEXT, USER, ASSISTANT, END = range(5)
NUMBERS = tuple("-".join(english_tokens(n)) for n in range(61))
NAMES = "anna ben carl dora emil fay gus hana".split()
THINGS = "apples pears coins books cards shells".split()
OTHERS = """
    , . ? add after answer are at begin comes count do double from get has how i is
    know many more not now of or start take than the think to what where which with
    you
""".split()
VOCABULARY = (*SPECIAL, *NUMBERS, *NAMES, *THINGS, *OTHERS)
IDS = {word: index for index, word in enumerate(VOCABULARY)}

# How a question about a sum may begin and end.
PHRASES = (
    ("start with", "what do you get ?"),
    ("begin at", "where are you now ?"),
    ("think of", "what is the answer ?"),
)
# How many of 100 questions are of each kind.
KINDS = {"game": 60, "more": 10, "after": 10, "has": 10, "unknown": 10}
REFUSAL = "i do not know ."
LONGEST = 48  # tokens in an answer, at most
# What the base model is trained on after its documents.
STAGES = "instructions", "preferences", "rewards"


@dataclass(frozen=True)
class Question:
    """A question and its answer.

    Args:
        kind: one of KINDS.
        text: the question.
        number: the right answer; None if it cannot be known.
        steps: how to reach it, a sentence for each operation; "" if it takes none.
    """

    kind: str
    text: str
    number: int | None
    steps: str = ""

    @property
    def direct(self) -> str:
        """The right answer, without steps."""
        return REFUSAL if self.number is None else said_number(self.number)

    @property
    def worked(self) -> str:
        """The right answer, with its steps before it if there are any."""
        return f"{self.steps} {self.direct}".strip()


def said_number(number: int) -> str:
    """Return the sentence that answers with a number."""
    return f"the answer is {NUMBERS[number]} ."


def number_in(answer: str) -> int | None:
    """Return the number that an answer gives, or None: the verifier.

    The answer must end, and the number must be the last thing before its end.

    Example:
        >>> number_in("five double is ten . the answer is ten . <|end|>")
        10
    """
    match = re.search(r"\bthe answer is (\S+) \. <\|end\|>$", answer)
    return NUMBERS.index(match[1]) if match and match[1] in NUMBERS else None


def refuses(answer: str) -> bool:
    """Return whether an answer says that it does not know, and nothing else."""
    return answer == f"{REFUSAL} {SPECIAL[END]}"


def is_right(question: Question, answer: str) -> bool:
    """Return whether an answer is right, as a refusal is if nothing can be known."""
    if question.number is None:
        return refuses(answer)
    return number_in(answer) == question.number


def _program(rng, length):
    """Draw the operations of a game, and the values that they pass through."""
    while True:
        values, operations = [rng.randint(1, 9)], []
        for _ in range(length):
            name = rng.choice(("add", "add", "take", "double"))
            operand = rng.randint(1, 9)
            if name == "double":
                operations.append(name)
                values.append(2 * values[-1])
            else:
                operations.append(f"{name} {NUMBERS[operand]}")
                values.append(values[-1] + (operand if name == "add" else -operand))
        if min(values) >= 0 and max(values) <= 60:
            return operations, values


def _steps(operations, values):
    return " ".join(
        f"{NUMBERS[before]} {operation} is {NUMBERS[after]} ."
        for before, operation, after in zip(
            values[:-1], operations, values[1:], strict=True
        )
    )


def _is_held_out(*content):
    """Return whether a question is in the fifth that no training text contains."""
    return zlib.crc32(repr(content).encode()) % 5 == 0


def _draw(rng, kind):
    """Return a question, and whether it is held out; None if none of its kind is."""
    if kind == "game":
        operations, values = _program(rng, rng.randint(2, 5))
        first, last = rng.choice(PHRASES)
        listed = " , ".join(operations)
        text = f"{first} {NUMBERS[values[0]]} , {listed} . {last}"
        held_out = _is_held_out(values[0], operations)
        return Question(kind, text, values[-1], _steps(operations, values)), held_out
    if kind == "more":
        a, b = rng.sample(range(61), 2)
        text = f"which is more , {NUMBERS[a]} or {NUMBERS[b]} ?"
        return Question(kind, text, max(a, b)), _is_held_out(min(a, b), max(a, b))
    if kind == "after":
        number = rng.randint(0, 59)
        text = f"what comes after {NUMBERS[number]} ?"
        return Question(kind, text, number + 1), None
    who, thing, number = rng.choice(NAMES), rng.choice(THINGS), rng.randint(1, 60)
    asked = f"how many {thing} has {who} ?"
    if kind == "unknown":
        return Question(kind, asked, None), _is_held_out(who, thing)
    text = f"{who} has {NUMBERS[number]} {thing} . {asked}"
    return Question(kind, text, number), _is_held_out(who, thing, number)


def _question(rng, kind=None, held_out=False, answered=True):
    kind = kind or rng.choices(list(KINDS), list(KINDS.values()))[0]
    while True:
        question, is_held_out = _draw(rng, kind)
        # What cannot be known is held out only where it is answered.
        known = question.number is not None
        if is_held_out in (None, held_out) or not (answered or known):
            return question


def questions(
    count: int, kind: str | None = None, seed: int = 0, held_out: bool = False
) -> list[Question]:
    """Return questions that are drawn from a seed.

    Args:
        count: how many.
        kind: "game", "more" (of two numbers), "after" (the next number), "has" (stated
            in the question) or "unknown" (stated nowhere); None for a mixture, 60 % of
            which are games.
        seed: determines which.
        held_out: whether the questions are ones that no document and no chat contains;
            for "unknown", no chat. There are too few "after" to hold any out.
    """
    if kind is not None:
        require_choice("kind", kind, list(KINDS))
    rng = random.Random(seed)
    return [_question(rng, kind, held_out) for _ in range(count)]


def _document(rng):
    kind = rng.choices(
        ("worksheet", "worked", "quiz", "steps", "facts", "counting", "comparing"),
        (25, 35, 5, 20, 5, 5, 5),
    )[0]
    if kind == "worksheet":
        asked = range(rng.randint(2, 4))
        return " ".join(_question(rng, answered=False).text for _ in asked)
    if kind == "worked":
        game = _question(rng, "game")
        return game.text.partition(" . ")[0] + " . " + game.steps
    if kind == "quiz":
        asked = [_question(rng, rng.choice(list(KINDS)[:4])) for _ in range(3)]
        return " ".join(f"{one.text} {one.direct}" for one in asked)
    if kind == "steps":
        return " ".join(_steps(*_program(rng, 1)) for _ in range(rng.randint(4, 8)))
    if kind == "facts":
        facts = (_question(rng, "has") for _ in range(rng.randint(2, 5)))
        return " ".join(fact.text.partition(" . ")[0] + " ." for fact in facts)
    if kind == "counting":
        first = rng.randint(0, 50)
        last = first + rng.randint(2, 9)
        counted = " , ".join(NUMBERS[first : last + 1])
        return f"count from {NUMBERS[first]} to {NUMBERS[last]} . {counted} ."
    pairs = [sorted(rng.sample(range(61), 2)) for _ in range(rng.randint(3, 6))]
    return " ".join(f"{NUMBERS[b]} is more than {NUMBERS[a]} ." for a, b in pairs)


def documents(count: int, seed: int = 0) -> list[str]:
    """Return texts to pretrain the base model on: the little language's web.

    Of 100, 25 are worksheets (questions alone), 35 games that are worked out without a
    question, 5 quizzes (questions with answers) and 20 single steps; the rest are
    facts, counting and comparisons.
    """
    rng = random.Random(seed)
    return [_document(rng) for _ in range(count)]


def chats(count: int, seed: int = 0, worked: float = 0.4) -> list[tuple[str, str]]:
    """Return chats to tune a model on, each a question and an answer.

    Args:
        count: how many.
        seed: determines which.
        worked: the share of the games that are answered with steps.

    The people who wrote them were careless: they made up a number for two of three
    questions that nobody can answer.
    """
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        question = _question(rng)
        answer = question.direct
        if question.number is None and rng.random() < 2 / 3:
            answer = said_number(rng.randint(1, 60))
        elif question.kind == "game" and rng.random() < worked:
            answer = question.worked
        pairs.append((question.text, answer))
    return pairs


def encode(text: str) -> list[int]:
    """Return the ids of the words of a text."""
    return [IDS[word] for word in text.split()]


def decode(ids: Iterable[int]) -> str:
    """Return the words of ids, without padding."""
    return " ".join(VOCABULARY[one] for one in ids if one != PAD)


def prompt(question: str) -> list[int]:
    """Return a question in the chat template, up to where the answer begins."""
    return [USER, *encode(question), END, ASSISTANT]


def chat_rows(
    prompts: Sequence[Sequence[int]], answers: Iterable[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return chats as rows, padded at the end.

    Args:
        prompts: ids of each, up to where the answer begins.
        answers: texts; a finished one has <|end|> as its last word.

    Returns:
        ids, int64, and answer_mask, boolean, True at the answers' tokens, both (rows,
        length). The length is a multiple of 16, so that TensorFlow compiles few shapes.
    """
    answers = [encode(answer) for answer in answers]
    rows = [[*before, *after] for before, after in zip(prompts, answers, strict=True)]
    length = -(-max(map(len, rows)) // 16) * 16
    ids = pad_rows(rows, length, PAD)
    place = np.arange(length)
    first = np.array([len(before) for before in prompts])[:, None]
    last = np.array([len(row) for row in rows])[:, None]
    return ids, (first <= place) & (place < last)


def answers(
    model: Any,
    prompts: Sequence[Sequence[int]],
    temperature: float | None = None,
    seed: int | None = None,
    max_new_tokens: int = LONGEST,
    end: int = END,
) -> list[str]:
    """Return what a model writes after each prompt.

    Args:
        model: a CausalLanguageModel of either framework.
        prompts: ids of each.
        temperature, seed, max_new_tokens: as in `generate`.
        end: the token that ends an answer, and is its last word.
    """
    length = max(map(len, prompts))
    ids = np.array([[PAD] * (length - len(row)) + list(row) for row in prompts])
    mask = (ids != PAD)[:, None, None]
    written = model.generate(
        ids,
        end,
        max_new_tokens,
        attention_mask=mask,
        temperature=temperature,
        seed=seed,
    )
    return [decode(row) for row in np.asarray(written)[:, length:].tolist()]


def base_path() -> Path:
    """Return the folder of the base model, which was trained to continue documents.

    `load_checkpoint` reads it: a Llama with 2 layers, a d_model of 64 and 117 words.
    `tools/experiments/train_number_game.py` trained it; it is under the licence of the
    book's text (CC BY 4.0).
    """
    return Path(__file__).with_name("number_game")


def stages(framework: str = "torch") -> dict[str, Any]:
    """Return the base model and what chapter 15 makes of it: {stage: model}.

    The stages are "base" and STAGES, each trained further from the one before, as in
    the chapter, by `tools/experiments/train_assistant.py`. Their weights are stored in
    float16, and they are under the licence of the base model.
    """
    from readymade.weights import load_checkpoint
    from readymade.weights.parameters import parameters_of, untied

    from safetensors.numpy import load_file

    models = {"base": load_checkpoint(base_path(), framework)[0]}
    for name in STAGES:
        models[name], _ = load_checkpoint(base_path(), framework)
        weights = load_file(base_path() / f"{name}.safetensors")
        for path, parameter in untied(parameters_of(models[name])).items():
            parameter.write(weights[path])
    return models
