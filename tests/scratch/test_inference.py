"""During inference there is no dropout and no gradient; then the mode is restored."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from scratch.config import TransformerConfig
from scratch.torch import CausalLanguageModel, inference

import pytest
import torch

CONFIG = TransformerConfig(
    vocab_size=12, d_model=8, num_heads=2, d_ff=16, num_layers=1, dropout=0.5
)
IDS = torch.arange(1, 7).reshape(2, 3)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return CausalLanguageModel(CONFIG).train()


def flags(model):
    return [module.training for module in model.modules()]


def test_no_dropout_and_no_gradients_in_use(model):
    with inference(model):
        assert not any(flags(model))
        one, other = model(IDS), model(IDS)
    assert torch.equal(one, other)
    assert not one.requires_grad
    assert model(IDS).requires_grad


def test_each_module_is_afterwards_in_its_own_mode(model):
    model.decoder.layers[0].eval()
    before = flags(model)
    assert True in before and False in before
    with pytest.raises(RuntimeError, match="stop"), inference(model):
        raise RuntimeError("stop")
    assert flags(model) == before


def test_one_use_inside_another_changes_nothing(model):
    with inference(model):
        with inference(model.decoder):
            assert not any(flags(model))
        assert not any(flags(model))
        assert not model(IDS).requires_grad
    assert all(flags(model))


def test_threads_may_use_one_model_at_once(model):
    """The first thread to finish leaves the others in evaluation mode."""
    inside, ended = Event(), Event()

    def use():
        with inference(model):
            inside.set()
            ended.wait(60)
            return flags(model)

    with ThreadPoolExecutor() as threads:
        with inference(model):
            task = threads.submit(use)
            assert inside.wait(60)
        ended.set()
        assert not any(task.result(60))
    assert all(flags(model))


def test_generate_leaves_the_model_in_training(model):
    ids = model.generate(IDS, eos_id=11, max_new_tokens=4)
    assert all(flags(model))
    model(ids).sum().backward()  # what was generated can be trained on
    with pytest.raises(ValueError, match="max_new_tokens"):
        model.generate(IDS, eos_id=11, max_new_tokens=0)
    assert all(flags(model))
