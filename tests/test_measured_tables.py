"""A table that a tool has written holds what the tool measures."""

import csv
from itertools import product

from readymade.weights import load_checkpoint
from tools import forgetting, reviews, two_starts

import pytest

A_REVIEW = 1.1 / 60  # one, and rounding: another processor may judge it otherwise


def test_the_table_of_recipes_has_every_run_as_its_tool_measures_it():
    """Some 5 s, for one run: only here is a number of the table measured anew."""
    with reviews.CSV.open(newline="", encoding="utf-8") as file:
        table = {
            (row["recipe"], int(row["seed"])): float(row["right"])
            for row in csv.DictReader(file)
        }
    assert list(table) == list(product(reviews.RECIPES, reviews.SEEDS))
    recipe = "head alone"  # the quickest
    right = reviews.score(*load_checkpoint(), 0, *reviews.RECIPES[recipe])
    assert right == pytest.approx(table[recipe, 0], abs=A_REVIEW)


def test_the_table_of_forgetting_has_every_run_as_its_tool_measures_it():
    with forgetting.CSV.open(newline="", encoding="utf-8") as file:
        before, *rows = csv.DictReader(file)
    table = {(row["recipe"], float(row["peak"]), int(row["seed"])): row for row in rows}
    runs = product(forgetting.RECIPES, forgetting.PEAKS, forgetting.SEEDS)
    assert list(table) == list(runs)
    run = "+ layer-wise rates", 1e-3, 0
    topics, words = forgetting.score(*run)
    assert topics == pytest.approx(float(table[run]["topics"]), abs=0.02)
    assert words == pytest.approx(float(table[run]["words"]), abs=0.01)
    assert words < float(before["words"]) - 0.01


def test_the_table_of_two_starts_has_every_run():
    with two_starts.CSV.open(newline="", encoding="utf-8") as file:
        table = [
            (row["start"], int(row["seed"]), int(row["epoch"]))
            for row in csv.DictReader(file)
        ]
    assert table == [
        (start, seed, epoch)
        for start, epochs in two_starts.TESTED_AFTER.items()
        for seed, epoch in product(two_starts.SEEDS, epochs)
    ]
