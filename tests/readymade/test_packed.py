"""A packed model computes the same in other ways, and is restored afterwards."""

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pickle import dumps, loads
from threading import Event

from readymade.packed import packed
from readymade.packed.products import MANY_ROWS, PackedProduct, worth_packing
from readymade.packed.stand_ins import (
    PackedLinear,
    SharedTurn,
    ShortGate,
    ShortRMSNorm,
    ShortStep,
    StandIn,
)
from scratch.config import TransformerConfig
from scratch.torch import (
    CausalLanguageModel,
    DecoderLayer,
    TokenLogits,
    Transformer,
    edited,
    inference,
)

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
TODAY = replace(
    CONFIG,
    norm="rms",
    positions="rotary",
    activation="swiglu",
    num_kv_heads=1,
    norm_first=True,
    bias=False,
)
IDS = torch.arange(12).reshape(2, 6)


def new(config):
    """Return a model in training mode whose norms have random weights."""
    torch.manual_seed(0)
    model = CausalLanguageModel(config).train()
    for module in model.modules():
        if type(module) is nn.RMSNorm:
            nn.init.uniform_(module.weight, 0.5, 1.5)
    return model


@pytest.fixture(scope="module")
def model():
    return new(CONFIG)


@pytest.fixture(scope="module")
def today():
    return new(TODAY)


def evaluated(model, *inputs):
    """Return what the model computes in evaluation, unpacked."""
    with torch.no_grad():
        return copy.deepcopy(model).eval()(*inputs)


def close(computed, wanted):
    """Float32 rounds a logit of 9 to 1e-6, in sums of another order more than once."""
    torch.testing.assert_close(computed, wanted, rtol=1e-5, atol=1e-5)


def replaced(model):
    """Return the stand-ins in a model, as (module, stand-in)."""
    return [
        (module, method)
        for module in model.modules()
        for method in vars(module).values()
        if isinstance(method, StandIn)
    ]


@pytest.fixture
def served(monkeypatch):
    """The kinds of the stand-ins that served calls, in order."""
    kinds = []
    for kind in (PackedLinear, ShortGate, ShortRMSNorm, SharedTurn, ShortStep):

        def counted(self, *inputs, short=kind.short, **named):
            kinds.append(type(self))
            return short(self, *inputs, **named)

        monkeypatch.setattr(kind, "short", counted)
    return kinds


@pytest.mark.parametrize("shape", [(1, 1, 640), (3, 1, 640), (2, 5, 640), (0, 640)])
@pytest.mark.parametrize("bias", [True, False])
def test_a_packed_product_computes_the_same(shape, bias):
    layers = nn.Linear(640, 320, bias=bias), nn.Linear(640, 64, bias=bias)
    x = torch.randn(shape)
    with torch.no_grad():
        close(PackedProduct(layers[0])(x), layers[0](x))
        close(PackedProduct(*layers)(x), torch.cat([one(x) for one in layers], -1))


@pytest.mark.parametrize("capability", ["AVX512", "AVX2", "DEFAULT"])
def test_many_rows_are_packed_on_a_processor_that_gains_by_it(
    capability, served, monkeypatch
):
    """Each way gives the same; the other one makes no copy for several rows."""
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    layers = nn.Linear(320, 640), DecoderLayer(TODAY, False).feed_forward
    x = torch.randn(4, MANY_ROWS // 4, 320)
    for layer, kind in zip(layers, (PackedLinear, ShortGate), strict=True):
        wanted = evaluated(layer, x)
        with packed(layer):
            close(layer(x), wanted)
            many = capability == "AVX512"
            assert (kind in served) == many
            assert ("reordered" in vars(layer.forward.product)) == many
            close(layer(x[:, 1:]), wanted[:, 1:])
            assert kind in served
        served.clear()


@pytest.mark.parametrize("config", [CONFIG, TODAY], ids=["2017", "today"])
def test_a_packed_model_gives_the_logits_of_evaluation(config, served):
    model = new(config)
    wanted = evaluated(model, IDS)
    with packed(model):
        assert not any(module.training for module in model.modules())
        for _ in range(2):
            logits = model(IDS)
            close(logits, wanted)
        assert not logits.requires_grad
    kinds = {PackedLinear}
    if config is TODAY:
        kinds |= {ShortRMSNorm, SharedTurn, ShortGate}
    assert set(served) == kinds


def test_large_matrices_are_packed_and_the_logits_too(model):
    linear = sum(isinstance(layer, nn.Linear) for layer in model.modules())
    with packed(model):
        layers = [m for m, what in replaced(model) if isinstance(what, PackedLinear)]
    assert any(isinstance(layer, TokenLogits) for layer in layers)
    assert len(layers) == linear + 1


@pytest.mark.parametrize("today", [False, True])
def test_the_model_is_restored_afterwards(today):
    model = new(TODAY if today else CONFIG)
    model.decoder.layers[0].eval()
    flags = [module.training for module in model.modules()]
    before = [set(vars(module)) for module in model.modules()]
    with pytest.raises(RuntimeError, match="stop"), packed(model):
        model(IDS)
        raise RuntimeError("stop")
    assert [module.training for module in model.modules()] == flags
    assert [set(vars(module)) for module in model.modules()] == before
    model.train()
    assert model(IDS).requires_grad


def test_new_weights_count_the_next_time(model):
    """A copy that outlived the `with` would give the old answer."""
    model = copy.deepcopy(model)
    with packed(model):
        before = model(IDS)
    with torch.no_grad():
        model.logits.bias += 1.0
        model.logits.tokens.weight *= 2.0
    wanted = evaluated(model, IDS)
    assert not torch.allclose(wanted, before, atol=1e-2)
    with packed(model):
        close(model(IDS), wanted)


def test_nested_uses_change_nothing(model):
    """`generate` enters `inference` and must not undo the packing."""
    wanted = evaluated(model, IDS)
    with packed(model):
        stand_ins = replaced(model)
        with packed(model):
            assert replaced(model) == stand_ins
            close(model(IDS), wanted)
        model.generate(IDS, eos_id=599, max_new_tokens=2)
        assert replaced(model) == stand_ins != []
        close(model(IDS), wanted)
    assert replaced(model) == []


@pytest.mark.parametrize("config", [CONFIG, TODAY], ids=["2017", "today"])
@pytest.mark.parametrize("batch", [1, 2])
def test_a_packed_model_writes_the_same(config, batch, served):
    model, ids = new(config), IDS[:batch]
    wanted = model.generate(ids, eos_id=599, max_new_tokens=4)
    assert served == []  # generate by itself is plain
    with packed(model):
        assert torch.equal(model.generate(ids, eos_id=599, max_new_tokens=4), wanted)
    assert served.count(ShortStep) == 3 * config.num_layers
    assert model.training


@pytest.mark.parametrize("config", [CONFIG, TODAY], ids=["2017", "today"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_in_autocast_a_packed_model_is_like_any_other(config, dtype, served):
    """In either order; oneDNN's product would refuse mixed dtypes."""
    model = new(replace(config, num_layers=1))
    call = {"eos_id": 599, "max_new_tokens": 2}
    with torch.autocast("cpu", dtype):
        wanted = evaluated(model, IDS), model.generate(IDS[:1], **call)
        with packed(model):
            computed = model(IDS), model.generate(IDS[:1], **call)
    with packed(model), torch.autocast("cpu", dtype):
        again = model(IDS), model.generate(IDS[:1], **call)
    assert served == []
    for one in (computed, again):
        assert all(map(torch.equal, one, wanted))


def test_a_packed_translator_writes_the_same(served):
    model = Transformer(replace(CONFIG, num_layers=1)).train()
    wanted = model.generate(IDS, 1, eos_id=599, max_new_tokens=4, beam_size=2)
    with packed(model):
        written = model.generate(IDS, 1, eos_id=599, max_new_tokens=4, beam_size=2)
    assert torch.equal(written, wanted) and set(served) == {PackedLinear}


@pytest.mark.parametrize(
    "weight",
    [
        nn.Parameter(torch.zeros(300, 300)),
        nn.Parameter(torch.zeros(400, 400, dtype=torch.float64)),
        nn.Parameter(torch.zeros(400, 400, device="meta")),
    ],
    ids=["small", "double", "elsewhere"],
)
def test_only_large_matrices_of_single_precision_are_packed(weight):
    layer = nn.Linear(400, 400)
    assert worth_packing(layer)
    layer.weight = weight
    assert not worth_packing(layer)


class LoRA(nn.Linear):
    """A linear layer with a forward of its own."""

    def forward(self, x):
        return super().forward(x) + 9.0


class Doubled(nn.Module):
    """A parametrization: a weight that is computed."""

    def forward(self, weight):
        return 2 * weight


def with_lora(layer):
    lora = LoRA(layer.in_features, layer.out_features, layer.bias is not None)
    lora.load_state_dict(layer.state_dict())
    return lora


def parametrized(layer):
    parametrize.register_parametrization(layer, "weight", Doubled())
    return layer


def hooked(layer):
    layer.register_forward_hook(lambda layer, inputs, output: output + 9.0)
    return layer


def patched(layer):
    layer.forward = lambda x: nn.Linear.forward(layer, x) + 9.0
    return layer


@pytest.mark.parametrize("change", [with_lora, parametrized, hooked, patched])
@pytest.mark.parametrize("name", ["self_attention.key", "feed_forward.expand"])
def test_a_changed_layer_computes_what_it_says(name, change):
    """In one pass, and token by token, where several layers may be one product."""
    model = new(TODAY).eval()
    plain = evaluated(model, IDS)
    for layer in model.decoder.layers:
        parent, _, child = name.partition(".")
        part = getattr(layer, parent)
        setattr(part, child, change(getattr(part, child)))
    with torch.no_grad():
        wanted = model(IDS)
    assert not torch.allclose(wanted, plain, atol=1e-2)
    with packed(model):
        close(model(IDS), wanted)
        assert_steps_are_right(model, wanted)


@pytest.mark.parametrize(
    "name", ["self_attention.key", "self_attention", "feed_forward.expand", "self"]
)
@pytest.mark.parametrize("inputs", [False, True])
def test_an_edit_reaches_a_packed_model_and_ends(today, name, inputs):
    """In one pass, and token by token, where several layers may be one product."""
    layer = today.decoder.layers[0]
    part = layer if name == "self" else layer.get_submodule(name)

    def halved(x):
        return x / 2

    plain = evaluated(today, IDS)
    with edited(part, halved, inputs), torch.no_grad(), inference(today):
        wanted = today(IDS)
    assert not torch.allclose(wanted, plain, atol=1e-4)
    with packed(today):
        with edited(part, halved, inputs):
            close(today(IDS), wanted)
            assert_steps_are_right(today, wanted)
        close(today(IDS), plain)
        assert_steps_are_right(today, plain)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: loads(dumps(m))])
def test_a_copy_made_in_use_is_a_model_like_any_other(today, copied):
    wanted = evaluated(today, IDS)
    with packed(today):
        today(IDS)
        other = copied(today)
    assert replaced(other) == []
    with torch.no_grad():
        other.logits.bias += 1.0
        close(other(IDS), wanted + 1.0)
    other.train()(IDS).sum().backward()
    assert other.logits.tokens.weight.grad is not None


def test_threads_may_use_one_model_at_once(model):
    """The first to finish leaves the others their packed products."""
    wanted = evaluated(model, IDS)
    inside, ended = Event(), Event()

    def use():
        with packed(model):
            inside.set()
            ended.wait(60)
            return len(replaced(model)), model(IDS)

    with ThreadPoolExecutor() as threads:
        with packed(model):
            number = len(replaced(model))
            task = threads.submit(use)
            assert inside.wait(60)
            model(IDS)
        ended.set()
        left, logits = task.result(60)
    assert left == number > 0
    close(logits, wanted)
    assert model.training and replaced(model) == []


@pytest.mark.slow("a packed model that no compiler takes")
def test_a_packed_model_can_be_compiled(today):
    """It takes seconds; only it notices a stand-in that the compiler cannot trace."""
    wanted = evaluated(today, IDS)
    with packed(today):
        compiled = torch.compile(today, backend="eager", fullgraph=True)
        close(compiled(IDS), wanted)


@pytest.mark.parametrize("kind", [nn.Linear, nn.RMSNorm, DecoderLayer])
def test_vectors_of_another_length_are_still_refused(kind):
    """Two rows of 320 have as many numbers as one of 640, but must be refused."""
    layer = {
        nn.Linear: lambda: nn.Linear(640, 320),
        nn.RMSNorm: lambda: nn.RMSNorm(640),
        DecoderLayer: lambda: DecoderLayer(TODAY, False).feed_forward,
    }[kind]()
    width = 320 if kind is DecoderLayer else 640
    with packed(layer):
        assert layer(torch.randn(2, 1, width)).shape[:2] == (2, 1)
        with pytest.raises(RuntimeError):
            layer(torch.randn(1, 2, width // 2))


def assert_steps_are_right(model, wanted, mask=None, need_weights=False):
    """Read three tokens, then three one by one, and compare with all at once."""
    cache = ()
    for part in IDS.split([3, 1, 1, 1], 1):
        end = cache[0][0].shape[2] + 1 if cache else 3
        hidden, weights, cache = model.decoder(
            part,
            attention_mask=None if mask is None else mask[..., :end],
            need_weights=need_weights,
            cache=cache,
        )
        close(model.logits(hidden[:, -1]), wanted[:, end - 1])
    return weights


@pytest.mark.parametrize(
    ("changed", "short"),
    [
        ({}, True),
        ({"num_kv_heads": None, "bias": True}, True),
        ({"norm_first": False, "norm": "layer", "activation": "gelu"}, True),
        ({"positions": "learned", "num_kv_heads": None, "bias": True}, True),
        ({"qk_norm": True}, True),
        ({"d_v": 48}, False),
    ],
)
def test_a_step_for_one_token_computes_what_a_layer_does(changed, short, served):
    model = new(replace(TODAY, **changed))
    wanted = evaluated(model, IDS)
    with packed(model):
        assert_steps_are_right(model, wanted)
    assert served.count(ShortStep) == 3 * 2 * short


def test_a_step_with_a_mask_or_weights_is_not_shortened(today, served):
    hidden = torch.tensor([0, 1, 1, 0, 1, 1]).bool()[None, None, None]
    mask = hidden.expand(2, 1, 1, 6)
    plain, masked = evaluated(today, IDS), evaluated(today, IDS, mask)
    with packed(today):
        assert_steps_are_right(today, masked, mask=mask)
        weights = assert_steps_are_right(today, plain, need_weights=True)
    assert weights[0][0].shape == (2, 5, 1, 6)
    assert ShortStep not in served


def test_layers_rotate_by_their_own_angles():
    """Only layers with one base and one position share angles."""
    config = replace(CONFIG, positions="rotary", dropout=0.0)
    one, other = DecoderLayer(config, False), DecoderLayer(config, False)
    faster = DecoderLayer(replace(config, rotary_base=100.0), False)
    layers = nn.ModuleList([one, faster, other])
    x = torch.randn(1, 4, 5, 64)
    calls = [(layer, start) for start in (0, 5, 1) for layer in layers]

    def turned():
        return [layer.self_attention.turned(x, start) for layer, start in calls]

    wanted = turned()
    with packed(layers):
        close(turned(), wanted)
    assert not torch.allclose(wanted[0], wanted[1], atol=1e-2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("eps", [None, 0.5])
def test_a_short_rms_norm_equals_the_librarys(dtype, eps, served):
    norm = nn.RMSNorm(8, eps=eps).to(dtype)
    nn.init.uniform_(norm.weight)
    x = torch.randn(2, 3, 8).to(dtype) * 1e-3  # so small that eps counts
    wanted = norm(x)
    with packed(norm):
        torch.testing.assert_close(norm(x), wanted)
    assert served == [ShortRMSNorm] * (dtype == torch.float32)
