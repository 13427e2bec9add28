"""The number game: what it asks, what counts as right, and the model that it ships."""

import csv
import json
import re

from readymade.data import number_game as game
from readymade.weights import load_checkpoint

import numpy as np
import pytest
import torch
from helpers.book import ROOT
from helpers.tools import tool

training = tool("train_number_game")


def worked_by_hand(text):
    """Return the last value of a game, from its words alone."""
    recipe = re.search(r"(?:start with|begin at|think of) (.*?) \.", text)[1]
    first, *operations = recipe.split(" , ")
    value = game.NUMBERS.index(first)
    for operation in operations:
        name, _, operand = operation.partition(" ")
        if name == "double":
            value *= 2
        else:
            value += (1 if name == "add" else -1) * game.NUMBERS.index(operand)
    return value


def test_answers_fit_their_questions():
    for question in game.questions(300, "game", seed=1):
        assert worked_by_hand(question.text) == question.number
        assert game.is_right(question, f"{question.direct} <|end|>")
        assert game.is_right(question, f"{question.worked} <|end|>")
        last = question.steps.split(" is ")[-1]
        assert last == f"{game.NUMBERS[question.number]} ."
    for question in game.questions(200, "more", seed=1):
        numbers = [
            game.NUMBERS.index(w) for w in question.text.split() if w in game.NUMBERS
        ]
        assert question.number == max(numbers)


def test_no_held_out_question_is_in_a_document_or_a_chat():
    """Whatever its first words are: a fifth of the games is held out."""
    texts = game.documents(3_000, seed=0) + [q for q, _ in game.chats(3_000, seed=0)]
    seen = {
        recipe
        for text in texts
        for recipe in re.findall(r"(?:with|at|of) ([^.]*) \.", text)
    }
    asked = game.questions(500, "game", seed=3, held_out=True)
    recipes = {re.search(r"(?:with|at|of) ([^.]*) \.", one.text)[1] for one in asked}
    assert len(seen) > 2_000 and not seen & recipes
    answered = {question for question, _ in game.chats(3_000, seed=0)}
    known, unknown = (
        {one.text for one in game.questions(500, "unknown", held_out=held_out)}
        for held_out in (False, True)
    )
    assert len(unknown) == 13 and known < answered and not unknown & answered
    assert (
        game.questions(5, seed=4)
        == game.questions(5, seed=4)
        != game.questions(5, seed=5)
    )


def test_every_word_is_a_token_and_every_token_a_word():
    texts = game.documents(3_000, seed=1) + [" ".join(one) for one in game.chats(2_000)]
    assert {word for text in texts for word in text.split()} == {
        *game.VOCABULARY[len(game.SPECIAL) :]
    }
    assert len(game.IDS) == len(game.VOCABULARY)
    assert game.decode(game.encode(texts[0])) == texts[0]


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("the answer is twelve . <|end|>", 12),
        ("five add seven is twelve . the answer is twelve . <|end|>", 12),
        ("the answer is one . the answer is twelve . <|end|>", 12),  # the last word
        ("the answer is twelve .", None),  # does not end
        ("the answer is twelve . <|end|> . <|end|>", None),
        ("the answer is twelve <|end|>", None),
        ("twelve . <|end|>", None),
        ("the answer is twelve . twelve . <|end|>", None),
        ("the answer is twelve or one . <|end|>", None),
        ("the answer is anna . <|end|>", None),
        ("", None),
    ],
)
def test_the_verifier_accepts_only_a_whole_answer(answer, number):
    assert game.number_in(answer) == number


def test_a_refusal_is_right_only_if_nothing_is_known():
    known, unknown = (game.questions(1, kind)[0] for kind in ("has", "unknown"))
    refusal = f"{game.REFUSAL} <|end|>"
    assert game.is_right(unknown, refusal) and not game.is_right(known, refusal)
    for other in ("the answer is five . <|end|>", "<|end|>"):
        assert not game.is_right(unknown, other)
    assert not game.refuses(f"{game.REFUSAL} {refusal}")


def test_the_mask_of_chats_covers_the_answers():
    prompts = [game.prompt("what comes after one ?"), game.prompt("how many ?")]
    answers = ["the answer is two . <|end|>", "i do not know . <|end|>"]
    ids, mask = game.chat_rows(prompts, answers)
    assert ids.shape == mask.shape == (2, 16)
    for row, chosen, answer in zip(ids, mask, answers, strict=True):
        assert game.decode(row[chosen]) == answer
        assert chosen.sum() == len(answer.split())  # no padding, which decode drops
    assert (ids[0] != game.PAD).sum() == len(prompts[0]) + 6


def test_the_shipped_model_has_the_games_tokens_and_template():
    _, tokenizer = load_checkpoint(game.base_path())
    asked = tokenizer.chat([{"role": "user", "content": "what comes after one ?"}])
    assert asked == game.prompt("what comes after one ?")
    assert tokenizer.vocab == game.IDS


def test_the_shipped_model_works_out_unseen_games():
    model, _ = load_checkpoint(game.base_path())
    asked = game.questions(50, "game", seed=8, held_out=True)
    prompts = [
        [game.END_OF_TEXT, *game.encode(one.text.partition(" . ")[0] + " .")]
        for one in asked
    ]
    texts = game.answers(model, prompts, end=game.END_OF_TEXT)
    pairs = zip(asked, texts, strict=True)
    assert np.mean([text.startswith(one.steps) for one, text in pairs]) > 0.85


def test_the_shipped_stages_are_chapter_15s():
    """They answer as in the chapter's last table; two kinds distinguish the stages."""
    notebook = (ROOT / "book" / "15_post_training.ipynb").read_text(encoding="utf-8")
    outputs = [
        "".join(output.get("text", ""))
        for cell in json.loads(notebook)["cells"]
        for output in cell.get("outputs", [])
    ]
    table = [text for text in outputs if "document loss" in text][-1]
    columns = re.split(r"\s{2,}", table.splitlines()[0].strip())
    names = "tuned", "15 steps of DPO", "rewarded"
    stages = game.stages()
    for name, stage in zip(names, game.STAGES, strict=True):
        row = re.search(rf"^{name}(.*)$", table, re.M)[1].split()
        printed = dict(zip(columns, map(float, row), strict=True))
        for kind in ("more", "unknown"):
            asked = game.questions(100, kind, seed=77, held_out=True)
            answers = game.answers(
                stages[stage], [game.prompt(one.text) for one in asked]
            )
            right = np.mean([*map(game.is_right, asked, answers)])
            assert right == pytest.approx(printed[kind], abs=0.02), (name, kind)


def test_its_training_reads_whole_documents():
    rows = training.rows(200, seed=5)
    ends = (rows == game.END_OF_TEXT).sum(1)
    assert (rows[:, 0] == game.END_OF_TEXT).all() and (ends == 2).mean() > 0.95


def test_the_curve_of_its_training_ends_where_the_shipped_model_is():
    with training.CURVE.open(newline="", encoding="utf-8") as file:
        curve = {int(row["step"]): float(row["loss"]) for row in csv.DictReader(file)}
    assert [*curve] == [*range(0, training.STEPS + 1, training.TESTED_EVERY)]
    model, _ = load_checkpoint(game.base_path())
    documents = torch.tensor(training.rows(600, seed=1_000_000))
    with torch.no_grad():
        loss = training.next_token_loss(model, documents).item()
    assert curve[training.STEPS] == pytest.approx(loss, abs=1e-3)
