"""The two packages are mirror images: the same pieces, order, signatures, words."""

import ast
import re
from pathlib import Path

import scratch
from scratch.config import TransformerConfig

import pytest
from helpers.chapters import CHAPTER_OF_FILE, WITHOUT_FRAMEWORK
from helpers.frameworks import TENSORFLOW, TORCH, twins

ROOT = Path(scratch.__file__).parent
FILES = [file for file in CHAPTER_OF_FILE if file not in WITHOUT_FRAMEWORK]

# What only one framework needs. TensorFlow starts up noisily, is fast only when traced,
# and Keras saves a model as its weights and the arguments that built it. PyTorch's
# layers hold the switch to evaluation, which TensorFlow's are told by their caller.
ALONE = {
    "torch": {"evaluation"},
    "tensorflow": {"quiet", "saving", "tracing"},
}

# What the frameworks themselves call differently.
SAME_METHOD = {"call": "forward"}
SAME_TYPE = {
    "tf.Tensor": "Tensor",
    "keras.layers.Layer": "nn.Module",
    "keras.layers.LayerNormalization": "nn.LayerNorm",
    "keras.layers.RMSNormalization": "nn.RMSNorm",
    "keras.layers.Dense": "nn.Linear",
    "keras.layers.Embedding": "nn.Embedding",
    "keras.Model": "nn.Module",
    "keras.Layer": "nn.Module",
    "torch.device | str": "str",
}
# What Keras asks for, and PyTorch does not: all layers pass a name, a dtype and whether
# to train to `super()`; dropout's switch is handed down from call to call, but the
# fused kernel has no dropout layer to hand it to; fit and predict give one argument.
KERAS_ALONE = {
    "__init__": (r", \*\*kwargs", ""),
    "MultiHeadAttention.forward": (r", training(: bool \| None)?=None", ""),
    "GroupedQueryAttention.forward": (r", training: bool \| None=None", ""),
    "Transformer.forward": (
        r"target_ids: Tensor \| None=None",
        "target_ids: Tensor",
    ),
}


def plain(name):
    """Return a TensorFlow name without its prefix."""
    return re.sub(r"^(TF_?|tf_)", "", name)


def plain_text(text):
    """Return a docstring with the prefixes of scratch's own names removed."""
    return re.sub(r"\b(?:TF_?|tf_)(?=[A-Za-z])", "", text or "")


def twin_docstring(name, words):
    """Return what a twin says: the first paragraph, and where the rest stands."""
    first, _, rest = words.partition("\n\n")
    pointer = f" Otherwise as `scratch.torch.{name}`."
    return first + pointer if rest else first


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


def functions(package, file):
    """Return [(name, node)] of a file's functions and methods, by PyTorch's names."""
    found = []
    for name, node in definitions(package, file):
        if isinstance(node, ast.FunctionDef):
            found.append((plain(name), node))
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    own = SAME_METHOD.get(method.name, method.name)
                    found.append((f"{plain(name)}.{own}", method))
    return found


def signature(name, node):
    """Return a function's arguments, defaults and types as text, in PyTorch's words."""
    returns = node.returns and ast.unparse(node.returns)
    text = f"({ast.unparse(node.args)}) -> {returns}"
    for theirs, ours in SAME_TYPE.items():
        text = re.sub(rf"\b{re.escape(theirs)}\b", ours, text)
    text = plain_text(text)
    for place in (name, node.name):
        text = re.sub(*KERAS_ALONE.get(place, ("^", "")), text)
    return text


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
def test_a_twin_says_the_same_in_a_sentence_and_points_to_the_whole(file):
    whole, twin = (
        ast.get_docstring(read(package, file)) for package in ("torch", "tensorflow")
    )
    assert twin_docstring(file, whole).split() == twin.split()
    ours, theirs = (
        [
            *(d for d in definitions(package, file) if isinstance(d[1], ast.ClassDef)),
            *functions(package, file),
        ]
        for package in ("torch", "tensorflow")
    )
    for (name, one), (_, other) in zip(ours, theirs, strict=True):
        words, twin = ast.get_docstring(one) or "", ast.get_docstring(other)
        assert words or "." in name, f"{name} has no docstring"
        # A longer name may break a line elsewhere: compare word by word.
        assert twin_docstring(name, words).split() == plain_text(twin).split(), name


@pytest.mark.parametrize("file", FILES)
def test_twins_take_the_same_arguments(file):
    ours, theirs = (
        [(name, signature(name, node)) for name, node in functions(package, file)]
        for package in ("torch", "tensorflow")
    )
    assert ours == theirs


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

    if not isinstance(model, keras.Layer):
        return False
    bare = keras.Model() if isinstance(model, keras.Model) else keras.Layer()
    return name in vars(bare)


@pytest.mark.parametrize("framework", [TORCH, TENSORFLOW], ids=str)
def test_a_package_passes_on_all_that_its_files_define(framework):
    package = str(framework)
    for file in FILES:
        for name, _ in definitions(package, file):
            assert getattr(framework, plain(name)) is not None, name


@pytest.mark.parametrize("package", ["torch", "tensorflow"])
def test_nothing_is_hidden_behind_arguments_without_names(package):
    """Keras' layers are given a name, a dtype and whether to train; an edit passes on
    what the layer takes."""
    for file in FILES:
        for node in ast.walk(read(package, file)):
            if isinstance(node, ast.FunctionDef):
                if file == "inside":
                    continue
                keras_layer = package == "tensorflow" and node.name == "__init__"
                assert node.args.kwarg is None or keras_layer, (
                    f"{package}/{file}: {node.name}"
                )
                assert node.args.vararg is None or node.name == "update"
