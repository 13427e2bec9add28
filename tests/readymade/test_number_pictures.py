"""The pictures of chapter 21: digits, and numbers that are composed of them."""

from readymade.data import NumberPictures, digits, moved

import numpy as np
import pytest


def rows(pictures):
    """Return pictures as a set, each a row of bytes."""
    return {one.tobytes() for one in np.ascontiguousarray(pictures)}


def test_digits_are_split_by_the_seed_and_none_is_lost():
    kept, order = [], []
    for seed in (0, 1, None, 0):
        (train, train_labels), (held_out, labels) = digits(seed)
        assert train.shape == (1_297, 1, 8, 8) and held_out.shape == (500, 1, 8, 8)
        assert (train.dtype, train_labels.dtype) == (np.float32, np.int64)
        assert (train.min(), train.max()) == (0, 1)
        together = np.concatenate([train_labels, labels])
        assert np.bincount(together).tolist() == [
            *(178, 182, 177, 183, 181),
            *(182, 181, 179, 174, 180),
        ]  # as the data set's authors count
        kept.append(np.sort(np.concatenate([train, held_out]).reshape(1_797, 64), 0))
        order.append(held_out)
    for one in kept[1:]:
        np.testing.assert_array_equal(one, kept[0])
    np.testing.assert_array_equal(order[3], order[0])
    assert (order[1] != order[0]).any() and (order[2] != order[0]).any()
    with pytest.raises(ValueError, match="seed is -1"):
        digits(-1)


def test_digits_look_like_their_labels():
    """A mean picture of each digit is the nearest one for most held-out pictures."""
    (train, labels), (held_out, truth) = digits()
    means = np.stack([train[labels == one].mean(0) for one in range(10)])
    far = ((held_out[:, None] - means) ** 2).sum((2, 3, 4))
    assert (far.argmin(1) == truth).mean() > 0.85


def test_a_picture_is_moved_by_whole_pixels():
    picture = np.arange(1.0, 7.0).reshape(1, 1, 2, 3)
    found = moved(picture, right=1, down=-1)
    np.testing.assert_array_equal(found, [[[[0, 4, 5], [0, 0, 0]]]])
    found = moved(picture, right=-2)
    np.testing.assert_array_equal(found, [[[[3, 0, 0], [6, 0, 0]]]])
    np.testing.assert_array_equal(moved(picture), picture)


def test_numbers_and_pictures_are_held_out_both():
    task = NumberPictures(3, seed=5)
    for count in (2, 3):
        train, test = task.train_numbers[count - 1], task.test_numbers[count - 1]
        every = np.arange(10 ** (count - 1), 10**count)
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), every)
        assert len(test) == int(0.2 * len(every))
    single = task.train_numbers[0], task.test_numbers[0]
    np.testing.assert_array_equal(single, [np.arange(10)] * 2)
    numbers = np.arange(1_000)
    (train, _), (held_out, _) = digits(5)
    for part, pool in ((False, rows(train)), (True, rows(held_out))):
        drawn = task.pictures(numbers, part, seed=1)
        assert drawn.shape == (1_000, 1, 8, 24) and drawn.dtype == np.float32
        assert rows(drawn[:, :, :, 16:]) <= pool  # the unit
        assert rows(drawn[100:, :, :, :8]) <= pool
        assert not drawn[:10, :, :, :16].any() and not drawn[10:100, :, :, :8].any()


def test_a_number_is_written_with_its_own_digits():
    task = NumberPictures(seed=2)
    (train, labels), _ = digits(2)
    label_of = dict(zip((one.tobytes() for one in train), labels, strict=True))
    numbers = task.draw(task.train_numbers, 200, seed=3)
    drawn = task.pictures(numbers, seed=4)
    for picture, number in zip(drawn, numbers, strict=True):
        parts = np.split(picture, 4, axis=-1)[4 - len(str(number)) :]
        found = [label_of[np.ascontiguousarray(one).tobytes()] for one in parts]
        assert "".join(map(str, found)) == str(number)


def test_what_is_drawn_repeats_with_its_seed_and_lengths_are_as_likely():
    task = NumberPictures()
    numbers = task.draw(task.test_numbers, 2_000, seed=1)
    np.testing.assert_array_equal(numbers, task.draw(task.test_numbers, 2_000, seed=1))
    lengths = np.bincount([len(str(one)) for one in numbers])[1:]
    assert (np.abs(lengths - 500) < 100).all()
    one = task.pictures(numbers, seed=1)
    np.testing.assert_array_equal(one, task.pictures(numbers, seed=1))
    assert (one != task.pictures(numbers, seed=2)).any()
    other = NumberPictures(seed=1)
    assert {*other.test_numbers[2].tolist()} != {*task.test_numbers[2].tolist()}


def test_equal_seeds_draw_numbers_and_pictures_independently():
    """Of one seed, a picture of 1 is not always beside the same number."""
    task = NumberPictures()
    numbers = task.draw([np.arange(10)], 2_000, seed=1)
    ones = task.pictures(np.ones(2_000), seed=1, width=1)
    beside = {(n, one.tobytes()) for n, one in zip(numbers.tolist(), ones, strict=True)}
    assert len(beside) > 500  # some 140 pictures, each beside one or two numbers


def test_words_are_encoded_and_judged():
    task = NumberPictures()
    numbers = [7, 15, 434, 9_999]
    ids = task.encode(numbers)
    assert ids.max() < len(task.vocabulary) and task.exact_matches(ids, numbers).all()
    assert "".join(task.vocabulary.decode(ids[2])) == "vierhundertvierunddreißig"
    assert not task.exact_matches(ids[::-1], numbers).any()


def test_what_makes_no_sense_is_refused():
    task = NumberPictures(2)
    for numbers, said in (([7, 100], "100"), ([-1], "-1")):
        with pytest.raises(ValueError, match=f"numbers holds {said}: wanted numbers"):
            task.pictures(numbers)
    assert task.pictures([100], width=3).shape == (1, 1, 8, 24)
    for wrong in ({"longest": 0}, {"held_out": 1.0}, {"held_out": -0.1}, {"seed": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is"):
            NumberPictures(**wrong)
