"""The benchmarks run, and compare what computes the same."""

from benchmarks import encoders, generation, server, serving, stacks
from benchmarks.__main__ import rows
from benchmarks.memory import in_a_process_of_its_own
from benchmarks.timing import interleaved

import pytest
import torch
from helpers.forty_megabytes import forty_megabytes

pytestmark = pytest.mark.slow("a benchmark that does not run")


def test_contenders_run_by_turns_and_each_once_untimed():
    calls = []
    times = interleaved(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repetitions=2
    )
    assert calls == ["a", "b"] * 3
    assert set(times) == {"a", "b"} and min(times.values()) >= 0


@pytest.fixture
def here(monkeypatch):
    """Measure memory in this process: a new one for each contender takes minutes.

    Contenders in TensorFlow, and those of one family, are prepared alike, so memory is
    measured for one of them. Each is run and timed afterwards.
    """
    measured = {}

    def once(measure, group, *arguments):
        key = arguments if group == "PyTorch" else group
        if key not in measured:
            measured[key] = measure(group, *arguments)
        return measured[key]

    for module in (encoders, generation, serving):
        monkeypatch.setattr(module, "in_a_process_of_its_own", once)


@pytest.mark.usefixtures("here")
@pytest.mark.filterwarnings("ignore")
def test_every_encoder_is_measured_in_both_frameworks():
    """Some 7 s: only here does each contender run."""
    measured = list(
        encoders.measure(1, None, widths=(128,), shapes=((2, 5),), layers=1)
    )
    table = rows(measured)
    assert {row[0] for row in table} == {"PyTorch", "TensorFlow"}
    assert len(table) == (5 + 4) + 2 * 3
    assert all(row[4] == "1.00" for row in table if row[2] == "ours")


def test_packing_is_measured_and_training_is_not_hampered_by_it():
    config, shape = stacks.config_of(384, 1), (1, 5, 384)
    tasks = encoders.in_torch(config, shape, list(stacks.TORCH))
    _, contenders = next(tasks)
    run, x = contenders[stacks.PACKED].func, contenders[stacks.PACKED].args[0]
    output = run(x)
    _, learners = next(tasks)
    plain = run(x).detach()
    assert not torch.equal(output, plain)
    torch.testing.assert_close(output, plain, rtol=0, atol=1e-4)
    assert set(learners) == set(contenders) - {stacks.PACKED}
    run, x = contenders["ours"].func, contenders["ours"].args[0]
    before = run(x).detach()
    learners["ours"]()
    assert not torch.equal(run(x).detach(), before)


def test_memory_is_what_a_run_adds_at_its_highest():
    assert 39 < in_a_process_of_its_own(forty_megabytes) < 50


def test_one_head_at_a_time_computes_attention_of_the_same_shape():
    config = stacks.config_of(128, 1)
    x = torch.randn(2, 5, 128)
    output, _ = stacks.HeadsInTurn(config)(x, x, x)
    assert output.shape == x.shape


@pytest.mark.usefixtures("here")
def test_generation_compares_only_equal_tokens(monkeypatch):
    monkeypatch.setattr(generation, "LAYERS", 1)
    measured = list(generation.measure(1, None, batches=(2,), new_tokens=4))
    assert len(measured) == 3 * 3  # equal tokens, or `same` would have raised
    with pytest.raises(RuntimeError, match="different tokens"):
        generation.same(torch.tensor([[1, 2]]), torch.tensor([[1, 3]]))


def test_the_server_is_measured_with_each_number_of_clients():
    (one, two) = server.measure(loads=((1, 2, 1), (2, 4, 2)), rounds=1)
    assert (one[:2], two[:2]) == ((1, 1), (2, 2))
    assert len(one) == len(two) == len(server.HEADER)
    assert min(float(one[2]), float(one[3]), float(two[2])) > 0


@pytest.mark.usefixtures("here")
def test_requests_are_served_in_four_ways_with_the_same_tokens(monkeypatch):
    monkeypatch.setattr(generation, "LAYERS", 1)
    measured = list(serving.measure(1, None, numbers=(3,)))
    assert [name for _, _, name, _, _ in measured] == [*serving.CONTENDERS]
    requests = serving.some_requests(3)
    lengths = [one.max_new_tokens for one in requests]
    with serving.contenders() as runs:
        for run in runs.values():
            assert [len(text) for text in run(requests)] == lengths
    assert len({*lengths}) == len({len(one.ids) for one in requests}) == 3
