"""PyTorch users: layers and models are stored, copied, compiled and exported."""

import copy
import io
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.cases import CASES, IDS, call
from helpers.configs import BERT, GPT, config
from helpers.frameworks import TORCH

# a case of each layer and model
LAYERS = {name: rest for name, *rest in CASES.values()}

# name: (piece, its arguments, inputs that follow the ids); a graph takes long, so each
# has a single layer, and encoder and decoder come as parts of the others
PIECES = {
    "GPT-2": ("CausalLanguageModel", (replace(GPT, num_layers=1),), ()),
    "classifier": ("SequenceClassifier", (replace(BERT, num_layers=1), 3), ()),
    "Transformer": ("Transformer", (config(num_layers=1),), (IDS,)),
}


def build(name, *arguments):
    torch.manual_seed(0)
    return getattr(TORCH, name)(*arguments).eval()


def inputs_of(batch, length, rest):
    """Return ids, then what follows them, for another batch and length."""
    rng = np.random.default_rng(0)
    ids = torch.tensor(rng.integers(1, 11, (batch, length)))
    more = [torch.tensor(rng.integers(1, 11, (batch, length + 2))) for _ in rest]
    return (ids, *more)


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_is_the_same_when_it_is_loaded(name):
    arguments, inputs = LAYERS[name]
    layer = build(name, *arguments)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    loaded = getattr(TORCH, name)(*arguments).eval()
    loaded.load_state_dict(torch.load(file, weights_only=True))
    wanted = call(layer, inputs, TORCH)
    for other in (loaded, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        for found, one in zip(call(other, inputs, TORCH), wanted, strict=True):
            assert torch.equal(found, one)


@pytest.mark.slow("a graph that is compiled anew for each size")
@pytest.mark.parametrize("piece", PIECES)
def test_one_compiled_graph_serves_every_size(piece):
    """Without a graph break; `eager` needs no C++ compiler."""
    name, arguments, rest = PIECES[piece]
    model = build(name, *arguments)
    torch._dynamo.reset()
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph

    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend=backend)
    for batch, length in ((2, 5), (3, 7)):
        inputs = inputs_of(batch, length, rest)
        assert torch.equal(compiled(*inputs), model(*inputs))
    assert len(graphs) == 1


@pytest.mark.slow("an exported program for one size alone")
@pytest.mark.parametrize("piece", PIECES)
def test_an_exported_program_takes_any_batch_and_length(piece):
    name, arguments, rest = PIECES[piece]
    model = build(name, *arguments)
    example = inputs_of(2, 5, rest)
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    program = torch.export.export(
        model, example, dynamic_shapes=tuple(free for _ in example)
    )
    inputs = inputs_of(3, 7, rest)
    torch.testing.assert_close(
        program.module()(*inputs), model(*inputs), atol=1e-6, rtol=1e-5
    )


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_a_model_without_memory_is_filled_by_its_state(positions):
    """Built on the meta device, the usual way to load a model that fits only once."""
    settled = config(positions=positions)
    wanted = build("CausalLanguageModel", settled)
    with torch.device("meta"):
        model = TORCH.CausalLanguageModel(settled)
    model.to_empty(device="cpu").eval()
    for value in model.state_dict().values():
        value.fill_(torch.nan)  # as memory may hold anything
    model.load_state_dict(wanted.state_dict())
    ids = torch.tensor(IDS)
    torch.testing.assert_close(model(ids), wanted(ids))
