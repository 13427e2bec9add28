"""The two packages are mirror images: the same pieces, order, signatures, words."""

import ast
import re
from pathlib import Path

import scratch
from scratch.config import TransformerConfig

import pytest
from helpers.frameworks import TENSORFLOW, TORCH, twins

ROOT = Path(scratch.__file__).parent
FILES = [
    "embeddings",
    "attention",
    "feed_forward",
    "encoder",
    "decoder",
    "heads",
    "generation",
    "transformer",
    "training",
]

# Each has one file more. TensorFlow starts up noisily. PyTorch's layers hold the switch
# to evaluation, and multiply by a kernel that is not oneDNN's: its `inference` sees to
# both, where TensorFlow's layers are told by their caller and use oneDNN as they are.
ALONE = {"torch": {"inference"}, "tensorflow": {"quiet"}}

# What the frameworks themselves call differently.
TYPES = {
    "tf.Tensor": "Tensor",
    "keras.Layer": "nn.Module",
    "torch.device | str": "str",
}
SAME_TYPE = re.compile("|".join(map(re.escape, TYPES)))
SAME_METHOD = {"call": "forward"}
# Keras hands dropout's switch down from call to call, but the fused kernel has no
# dropout layer to hand it to: only this method asks for it.
KERAS_ALONE = {("MultiHeadAttention", "forward"): ["training"]}


def plain(name):
    """Return a TensorFlow name without its prefix."""
    return re.sub(r"^(TF_?|tf_)", "", name)


def plain_text(text):
    """Return a docstring with the prefixes of scratch's own names removed."""
    return re.sub(r"\b(?:TF_?|tf_)(?=[A-Za-z])", "", text or "")


def read(package, file):
    return ast.parse((ROOT / package / f"{file}.py").read_text())


def definitions(package, file):
    """Return [(name, node)] of what a file defines, constants included."""
    found = []
    for node in read(package, file).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.append((node.name, node))
        elif isinstance(node, ast.Assign):
            found.append((node.targets[0].id, node))
    return found


def arguments(node):
    """Return a function's arguments with their defaults and types, as text."""
    text = f"{ast.unparse(node.args)} -> {ast.unparse(node.returns or ast.Tuple([]))}"
    return SAME_TYPE.sub(lambda found: TYPES[found[0]], text)


def test_both_packages_have_the_same_files():
    for package in ("torch", "tensorflow"):
        files = {path.stem for path in (ROOT / package).glob("*.py")}
        assert files - {"__init__"} == {*FILES, *ALONE[package]}, package


@pytest.mark.parametrize("file", FILES)
def test_twins_have_the_same_definitions_in_the_same_order(file):
    ours = [name for name, _ in definitions("torch", file)]
    theirs = [name for name, _ in definitions("tensorflow", file)]
    assert ours == [plain(name) for name in theirs]
    for name in theirs:
        assert name != plain(name), f"{name} has no prefix"


@pytest.mark.parametrize("file", FILES)
def test_twins_have_the_same_docstrings(file):
    pairs = zip(
        definitions("torch", file), definitions("tensorflow", file), strict=True
    )
    assert ast.get_docstring(read("torch", file)) == ast.get_docstring(
        read("tensorflow", file)
    )
    for (name, one), (_, other) in pairs:
        if isinstance(one, ast.Assign):
            continue
        # A longer name may break a line elsewhere: compare word by word.
        ours, theirs = ast.get_docstring(one), ast.get_docstring(other)
        assert ours, f"{name} has no docstring"
        assert ours.split() == plain_text(theirs).split(), name


@pytest.mark.parametrize("file", FILES)
def test_twins_take_the_same_arguments(file):
    pairs = zip(
        definitions("torch", file), definitions("tensorflow", file), strict=True
    )
    for (name, one), (_, other) in pairs:
        if isinstance(one, ast.FunctionDef):
            assert arguments(one) == arguments(other), name
        if isinstance(one, ast.ClassDef):
            ours = [n for n in one.body if isinstance(n, ast.FunctionDef)]
            theirs = [n for n in other.body if isinstance(n, ast.FunctionDef)]
            assert [n.name for n in ours] == [
                SAME_METHOD.get(n.name, n.name) for n in theirs
            ], name
            for method, twin in zip(ours, theirs, strict=True):
                extra = KERAS_ALONE.get((name, method.name), [])
                names = [a.arg for a in twin.args.args if a.arg not in extra]
                assert [a.arg for a in method.args.args] == names, name
                defaults = len(twin.args.defaults) - len(extra)
                assert [ast.unparse(d) for d in method.args.defaults] == [
                    ast.unparse(d) for d in twin.args.defaults[:defaults]
                ], name


@pytest.mark.parametrize("file", FILES)
def test_twins_explain_the_same_formulas(file):
    """Comments are the same, but for those on what only one framework does."""
    ours, theirs = (
        [
            re.sub(r"\s+", " ", comment)
            for comment in re.findall(
                r"#[^\n]*[=√Σ·−][^\n]*", (ROOT / package / f"{file}.py").read_text()
            )
        ]
        for package in ("torch", "tensorflow")
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "name",
    [
        "Encoder",
        "Decoder",
        "Transformer",
        "CausalLanguageModel",
        "MaskedLanguageModel",
        "NextSentence",
        "SpanExtractor",
    ],
)
def test_twins_have_the_same_attributes(name):
    config = TransformerConfig(
        vocab_size=11,
        d_model=6,
        num_heads=3,
        d_ff=10,
        num_layers=1,
        norm_first=True,
        positions="learned",
        num_segments=2,
        norm_embeddings=True,
        output_bias=True,
        pooler="tanh",
    )
    one, other = twins(name, config)
    assert own_attributes(one) == own_attributes(other)


def own_attributes(model):
    """Return the attribute names of a model and of all that it is made of."""
    ours = type(model).__module__.startswith("scratch.")
    if not ours:
        return model is not None
    found = {}
    # PyTorch keeps what it tracks in tables of its own, Keras among the attributes.
    members = dict(vars(model))
    for table in ("_modules", "_parameters", "_buffers"):
        members.update(members.get(table, {}))
    for name, value in members.items():
        if name.startswith("_") or name in ("training", "built"):
            continue
        if is_keras_bookkeeping(model, name):
            continue
        if isinstance(value, (list, tuple)) or type(value).__name__ == "ModuleList":
            found[name] = [own_attributes(item) for item in value]
        else:
            found[name] = own_attributes(value)
    return found


def is_keras_bookkeeping(model, name):
    """Whether Keras gave the attribute to every layer that there is."""
    import keras

    return isinstance(model, keras.Layer) and name in vars(keras.layers.Layer())


@pytest.mark.parametrize("framework", [TORCH, TENSORFLOW], ids=str)
def test_a_package_passes_on_all_that_its_files_define(framework):
    package = str(framework)
    for file in FILES:
        for name, _ in definitions(package, file):
            assert getattr(framework, plain(name)) is not None, name


@pytest.mark.parametrize("package", ["torch", "tensorflow"])
def test_nothing_is_hidden_behind_arguments_without_names(package):
    for file in FILES:
        for node in ast.walk(read(package, file)):
            if isinstance(node, ast.FunctionDef):
                assert node.args.kwarg is None, f"{package}/{file}: {node.name}"
                assert node.args.vararg is None or node.name == "update"
