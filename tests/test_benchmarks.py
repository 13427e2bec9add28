"""The benchmarks run, and what they compare is equal."""

from benchmarks import encoders, generation, stacks
from benchmarks.__main__ import rows
from benchmarks.timing import interleaved

import pytest
import torch


def test_contenders_run_by_turns_and_each_once_untimed():
    calls = []
    times = interleaved(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repetitions=2
    )
    assert calls == ["a", "b"] * 3
    assert set(times) == {"a", "b"} and min(times.values()) >= 0


@pytest.mark.filterwarnings("ignore")
def test_every_encoder_is_measured_in_both_frameworks():
    measured = list(
        encoders.measure(1, None, widths=(128,), shapes=((2, 5),), layers=1)
    )
    table = rows(measured)
    assert {row[0] for row in table} == {"PyTorch", "TensorFlow"}
    assert len(table) == 2 * 4 + 2 * 3
    assert all(row[-1] == "1.00" for row in table if row[2] == "ours")


def test_one_head_at_a_time_computes_attention_of_the_same_shape():
    config = stacks.config_of(128, 1)
    x = torch.randn(2, 5, 128)
    output, _ = stacks.HeadsInTurn(config)(x, x, x)
    assert output.shape == x.shape


def test_generation_compares_only_equal_tokens():
    measured = list(generation.measure(1, None, batches=(2,), new_tokens=4))
    assert len(measured) == 4  # equal tokens, or `same` would have raised
    with pytest.raises(RuntimeError, match="different tokens"):
        generation.same(torch.tensor([[1, 2]]), torch.tensor([[1, 3]]))
