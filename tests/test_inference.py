"""A model in use computes the same, faster, and is afterwards what it was before."""

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pickle import dumps, loads
from threading import Event

from scratch.config import TransformerConfig
from scratch.torch import (
    CausalLanguageModel,
    DecoderLayer,
    EncoderLayer,
    TokenLogits,
    evaluation,
    inference,
)
from scratch.torch.evaluation import PackedForward, packed_linear, worth_packing
from scratch.torch.one_token import ShortGate, ShortStep
from scratch.torch.shortcuts import InUse, NoDropout, SharedTurn, ShortRMSNorm

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize

CONFIG = TransformerConfig(
    vocab_size=600,
    d_model=320,
    num_heads=5,
    d_ff=640,
    num_layers=2,
    max_len=32,
    dropout=0.5,
    output_bias=True,
    pad_id=None,
)
IDS = torch.arange(12).reshape(2, 6)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return CausalLanguageModel(CONFIG).train()


def packed(model):
    """Return the layers that work with another forward than their class's."""
    return [
        layer
        for layer in model.modules()
        if isinstance(vars(layer).get("forward"), PackedForward)
    ]


@pytest.mark.parametrize("shape", [(1, 1, 640), (3, 1, 640), (2, 5, 640), (0, 640)])
@pytest.mark.parametrize("bias", [True, False])
def test_a_packed_layer_computes_the_same(shape, bias):
    layer = nn.Linear(640, 320, bias=bias)
    x = torch.randn(shape)
    with torch.no_grad():
        output = packed_linear([layer.weight], [layer.bias])(x)
        torch.testing.assert_close(output, layer(x), rtol=0, atol=1e-5)


def test_a_model_in_use_gives_the_logits_of_evaluation(model):
    with torch.no_grad():
        wanted = model.eval()(IDS)
    model.train()
    with inference(model):
        # the first call leaves the layers as they are, the second packs them
        once, again = model(IDS), model(IDS)
    assert torch.equal(once, wanted)
    torch.testing.assert_close(again, wanted, rtol=0, atol=1e-5)


def test_no_dropout_and_no_gradients_in_use(model):
    with inference(model):
        assert not any(module.training for module in model.modules())
        assert not model(IDS).requires_grad


def test_a_layer_is_packed_from_its_second_call_on(model):
    before = sum(isinstance(layer, nn.Linear) for layer in model.modules())
    with inference(model):
        layers = packed(model)
        assert any(isinstance(layer, TokenLogits) for layer in layers)
        # every matrix but the small ones: 320 × 320 is large enough here
        assert len(layers) == before + 1
        model(IDS)
        assert all(layer.forward.packed is None for layer in layers)
        model(IDS)
        assert all(layer.forward.packed is not None for layer in layers)


def test_afterwards_the_model_is_as_it_was(model):
    model.decoder.layers[0].eval()
    flags = [module.training for module in model.modules()]
    with pytest.raises(RuntimeError, match="stop"), inference(model):
        model(IDS)
        raise RuntimeError("stop")
    assert [module.training for module in model.modules()] == flags
    assert packed(model) == []
    with torch.no_grad():
        model.logits.bias += 1.0
        assert torch.allclose(model.logits(torch.zeros(1, 320)), model.logits.bias)
        model.logits.bias -= 1.0
    model.train()
    assert model(IDS).requires_grad


def test_new_weights_count_the_next_time(model):
    """No copy outlives the `with`: one that did would give the old answer."""
    with inference(model):
        model(IDS)
        before = model(IDS)
    with torch.no_grad():
        model.logits.bias += 1.0
    with inference(model):
        model(IDS)
        after = model(IDS)
    torch.testing.assert_close(after, before + 1.0, rtol=0, atol=1e-5)


def test_one_use_inside_another_changes_nothing(model):
    with inference(model):
        wanted = model(IDS)
        with inference(model):
            inner = model(IDS)
        outer = model(IDS)
        assert packed(model)
    assert packed(model) == []
    torch.testing.assert_close(inner, wanted, rtol=0, atol=1e-5)
    torch.testing.assert_close(outer, wanted, rtol=0, atol=1e-5)


def test_generate_uses_the_model_and_leaves_it_in_training(model):
    ids = model.generate(IDS, eos_id=599, max_new_tokens=4)
    with torch.no_grad():
        model.eval()
        slow = IDS
        for _ in range(4):
            slow = torch.cat([slow, model(slow)[:, -1:].argmax(-1)], 1)
        model.train()
    assert torch.equal(ids, slow)
    assert model.training and packed(model) == []
    # ids that were generated can be trained on
    model(ids).sum().backward()


def test_an_error_while_writing_leaves_the_model_in_training(model):
    with pytest.raises(ValueError, match="max_new_tokens"):
        model.generate(IDS, eos_id=599, max_new_tokens=0)
    assert model.training and packed(model) == []


@pytest.mark.parametrize(
    "weight",
    [
        None,
        nn.Parameter(torch.zeros(300, 300)),
        nn.Parameter(torch.zeros(400, 400, dtype=torch.float64)),
        nn.Parameter(torch.zeros(400, 400, device="meta")),
        torch.zeros(400, 400),
    ],
    ids=["none", "small", "double", "elsewhere", "computed"],
)
def test_only_large_matrices_of_single_precision_are_packed(weight):
    assert worth_packing(nn.Parameter(torch.zeros(400, 400)))
    assert not worth_packing(weight)


@pytest.fixture
def products(monkeypatch):
    """The widths of what packed matrices gave, in order."""
    widths = []

    def counted(weights, biases):
        linear = packed_linear(weights, biases)

        def count(x):
            widths.append(sum(map(len, weights)))
            return linear(x)

        return count

    monkeypatch.setattr(evaluation, "packed_linear", counted)
    return widths


TODAY = replace(
    CONFIG,
    norm="rms",
    positions="rotary",
    activation="swiglu",
    num_kv_heads=1,
    norm_first=True,
    bias=False,
)


def test_layers_that_read_one_input_are_one_product(products):
    model = CausalLanguageModel(TODAY)
    with torch.no_grad():
        wanted = model.eval()(IDS)
    with inference(model):
        for _ in range(3):
            torch.testing.assert_close(model(IDS), wanted, rtol=0, atol=1e-5)
    # query, key, value; projection; gate, expand; contract
    layer = [320 + 64 + 64, 320, 640 + 640, 320]
    assert products == 2 * [*layer, *layer, 600]


def test_what_reads_another_input_is_computed_alone(products):
    """A query reads x in every step, but keys and values read the memory once."""
    layer = DecoderLayer(CONFIG)
    x, memory = torch.randn(2, 1, 320), torch.randn(2, 5, 320)
    with inference(layer):
        cache = ()
        for _ in range(3):
            _, _, cache = layer(x, memory, cache=cache)
    step = [3 * 320, 320, 320, 320, 640, 320]
    assert products == 2 * step


def test_layers_packed_together_follow_their_inputs():
    """Other calls than the usual: another tensor for each, or changed numbers."""
    layer = EncoderLayer(CONFIG).eval()
    attention = layer.self_attention
    one, other = torch.randn(2, 2, 3, 320)
    with inference(layer):
        for _ in range(2):
            attention(one, one, one)
        for arguments in (one, other, other), (other, one, other):
            found, _ = attention(*arguments)
            wanted, _ = copy.deepcopy(attention)(*arguments)
            torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)
        attention(one, one, one)
        one += 1.0
        found, _ = attention(one, one, one)
        wanted, _ = copy.deepcopy(attention)(one, one, one)
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)


class LoRA(nn.Linear):
    """A linear layer with a forward of its own."""

    def forward(self, x):
        return super().forward(x) + 9.0


class Doubled(nn.Module):
    """A parametrization: a weight that is computed."""

    def forward(self, weight):
        return 2 * weight


def with_lora(layer):
    lora = LoRA(layer.in_features, layer.out_features)
    lora.load_state_dict(layer.state_dict())
    return lora


def parametrized(layer):
    parametrize.register_parametrization(layer, "weight", Doubled())
    return layer


def hooked(layer):
    layer.register_forward_hook(lambda layer, inputs, output: output + 9.0)
    return layer


@pytest.mark.parametrize("change", [with_lora, parametrized, hooked])
def test_a_changed_layer_computes_what_it_says(model, change):
    model = copy.deepcopy(model).eval()
    with torch.no_grad():
        plain = model(IDS)
        network = model.decoder.layers[0].feed_forward
        network.expand = change(network.expand)
        wanted = model(IDS)
    assert not torch.allclose(wanted, plain, atol=1e-2)
    with inference(model):
        for _ in range(3):
            torch.testing.assert_close(model(IDS), wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: loads(dumps(m))])
def test_a_copy_made_in_use_is_a_model_like_any_other(model, copied):
    with torch.no_grad():
        wanted = model.eval()(IDS)
    with inference(model):
        model(IDS), model(IDS)
        other = copied(model)
    model.train()
    assert packed(other) == []
    with torch.no_grad():
        other.logits.bias += 1.0
        torch.testing.assert_close(other(IDS), wanted + 1.0, rtol=0, atol=1e-5)
    other.train()(IDS).sum().backward()
    assert other.logits.tokens.weight.grad is not None


def test_threads_may_use_one_model_at_once(model):
    """The first to end leaves the others their evaluation."""
    with torch.no_grad():
        wanted = model.eval()(IDS)
    model.train()
    inside, ended, found = Event(), Event(), []

    def use():
        with inference(model):
            inside.set()
            ended.wait(60)
            found.extend(model(IDS) for _ in range(3))

    with ThreadPoolExecutor() as threads:
        with inference(model):
            task = threads.submit(use)
            inside.wait(60)
            model(IDS)
        ended.set()
        task.result(60)
    for logits in found:
        torch.testing.assert_close(logits, wanted, rtol=0, atol=1e-5)
    assert model.training and packed(model) == []


def test_a_model_in_use_can_be_compiled():
    model = CausalLanguageModel(replace(TODAY, num_layers=1))
    with torch.no_grad():
        wanted = model.eval()(IDS)
    with inference(model):
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        for _ in range(3):
            torch.testing.assert_close(compiled(IDS), wanted, rtol=0, atol=1e-5)


def test_a_layer_in_use_refuses_vectors_of_another_length():
    layer = nn.Linear(640, 320)
    with inference(layer):
        for _ in range(3):
            with pytest.raises(
                ValueError, match="x has vectors of length 5: wanted 640"
            ):
                layer(torch.randn(2, 5))
            assert layer(torch.randn(2, 640)).shape == (2, 320)


@pytest.fixture(scope="module")
def llama():
    """A model with RMSNorm, rotary positions and dropout, in training."""
    torch.manual_seed(0)
    config = replace(
        CONFIG, norm="rms", positions="rotary", num_kv_heads=1, norm_first=True
    )
    model = CausalLanguageModel(config).train()
    for module in model.modules():
        if type(module) is nn.RMSNorm:
            nn.init.uniform_(module.weight, 0.5, 1.5)
    return model


def shortened(model):
    """Return (module, name) of each method that a shortcut replaces."""
    return [
        (module, name)
        for module in model.modules()
        for name, method in vars(module).items()
        if isinstance(method, InUse) and not isinstance(method, PackedForward)
    ]


def test_shortcuts_compute_the_same(llama):
    with torch.no_grad():
        wanted = llama.eval()(IDS)
    llama.train()
    with inference(llama):
        kinds = {type(getattr(*pair)) for pair in shortened(llama)}
        assert kinds == {NoDropout, ShortRMSNorm, SharedTurn, ShortStep}
        torch.testing.assert_close(llama(IDS), wanted, rtol=0, atol=1e-5)
        _, cache = llama.next_logits(IDS[:, :4], ())
        cached, _ = llama.next_logits(IDS[:, 4:], cache)
    torch.testing.assert_close(cached, wanted[:, -1], rtol=0, atol=1e-5)
    assert shortened(llama) == []
    assert llama.training


@pytest.fixture
def short_steps(monkeypatch):
    """The layers that took a step by their short way, in order."""
    layers, attend = [], ShortStep.attend

    def counted(self, *arguments):
        layers.append(self.module)
        return attend(self, *arguments)

    monkeypatch.setattr(ShortStep, "attend", counted)
    return layers


def assert_steps_are_right(model, mask=None, need_weights=False):
    """Compare three tokens, one by one, with all at once."""
    decoder = model.decoder
    with torch.no_grad():
        wanted, _ = decoder.eval()(IDS, attention_mask=mask)
    with inference(model):
        cache = ()
        for part in IDS.split([3, 1, 1, 1], 1):
            end = cache[0][0].shape[2] + 1 if cache else 3
            seen = None if mask is None else mask[..., :end]
            hidden, weights, cache = decoder(
                part, attention_mask=seen, need_weights=need_weights, cache=cache
            )
            torch.testing.assert_close(
                hidden[:, -1], wanted[:, end - 1], rtol=0, atol=1e-5
            )
    return weights


@pytest.mark.parametrize(
    ("changed", "short"),
    [
        ({}, True),
        ({"num_kv_heads": None, "bias": True}, True),
        ({"norm_first": False, "norm": "layer", "activation": "gelu"}, True),
        ({"positions": "learned", "num_kv_heads": None, "bias": True}, True),
        ({"d_v": 48}, False),
    ],
)
def test_a_step_for_one_token_computes_what_a_layer_does(changed, short, short_steps):
    torch.manual_seed(0)
    model = CausalLanguageModel(replace(TODAY, **changed))
    assert_steps_are_right(model)
    # the second call packs, so it goes the long way
    assert short_steps == 2 * short * [*model.decoder.layers]


def test_a_step_with_a_mask_or_weights_goes_the_long_way(short_steps):
    model = CausalLanguageModel(TODAY)
    hidden = torch.tensor([0, 1, 1, 0, 1, 1]).bool()[None, None, None]
    assert_steps_are_right(model, mask=hidden.expand(2, 1, 1, 6))
    weights = assert_steps_are_right(model, need_weights=True)
    assert weights[0][0].shape == (2, 5, 1, 6)
    assert short_steps == []


@pytest.mark.parametrize("name", ["self_attention.key", "feed_forward.gate"])
def test_a_step_leaves_no_hook_out(name, short_steps):
    model = CausalLanguageModel(TODAY)
    for layer in model.decoder.layers:
        hooked(layer.get_submodule(name))
    assert_steps_are_right(model)
    assert short_steps == []


def test_a_gate_refuses_vectors_of_another_length():
    layer = DecoderLayer(TODAY, False)
    with inference(layer):
        network, x = layer.feed_forward, torch.randn(1, 1, 320)
        wanted = [network(x) for _ in range(3)]
        assert type(network.forward) is ShortGate
        torch.testing.assert_close(wanted[2], wanted[0], rtol=0, atol=1e-5)
        with pytest.raises(ValueError, match="x has vectors of length 5: wanted 320"):
            network(x[..., :5])


def test_layers_share_angles_only_if_they_turn_alike():
    config = replace(CONFIG, positions="rotary", dropout=0.0)
    one, other = DecoderLayer(config, False), DecoderLayer(config, False)
    faster = DecoderLayer(replace(config, rotary_base=100.0), False)
    layers = nn.ModuleList([one, faster, other])
    x = torch.randn(1, 3, 320)
    with torch.no_grad():
        wanted = [layer(x)[0] for layer in layers]
    with inference(layers):
        found = [layer(x)[0] for layer in layers]
        angles = [layer.self_attention.turned.angles for layer in layers]
        # the same length from another position on
        cos, _ = angles[0].at(x, 5)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)
    assert angles[0] is angles[2] and angles[0] is not angles[1]
    frequency = one.self_attention.frequency
    assert torch.equal(cos[0], (5 * frequency).cos())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("eps", [None, 0.5])
def test_a_short_rms_norm_is_the_librarys(dtype, eps):
    norm = nn.RMSNorm(8, eps=eps).to(dtype)
    nn.init.uniform_(norm.weight)
    x = torch.randn(2, 3, 8).to(dtype)
    short = ShortRMSNorm(norm)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(short(x), norm(x), rtol=tolerance, atol=tolerance)
    with pytest.raises(RuntimeError):
        short(x[..., :1])
