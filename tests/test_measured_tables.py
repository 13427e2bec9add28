"""A table that a tool has written holds what the tool measures."""

import csv
from itertools import product

from readymade.weights import load_checkpoint
from tools import reviews, two_starts

import pytest

A_REVIEW = 1.1 / 60  # one, and rounding: another processor may judge it otherwise


def test_the_table_of_recipes_has_every_run_as_its_tool_measures_it():
    with reviews.CSV.open(newline="", encoding="utf-8") as file:
        table = {
            (row["recipe"], int(row["seed"])): float(row["right"])
            for row in csv.DictReader(file)
        }
    assert list(table) == list(product(reviews.RECIPES, reviews.SEEDS))
    recipe = "head alone"  # the quickest
    right = reviews.score(*load_checkpoint(), 0, *reviews.RECIPES[recipe])
    assert right == pytest.approx(table[recipe, 0], abs=A_REVIEW)


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
