"""Beside the reader's code: describe an answer, call it, bring NumPy back.

Nothing here knows what is right. The same file runs in the reader's notebook and in the
teacher's sandbox, where nothing that it says is trusted.
"""

import contextlib
import copy
import hashlib
import inspect
import io
import linecache
import math
import os
import random
import re
import signal
import sys
import sysconfig
import threading
import traceback
import warnings
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

SECONDS = 5  # for one call: far more than any answer needs
_ROOTS = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
    "tf_keras": "tensorflow",
}


class MisfitError(ValueError):
    """The reader's class lacks a weight, or has others than the exercise."""


class TookTooLongError(BaseException):
    """Raised inside the reader's code; a BaseException, so that it gets out again."""


@dataclass(frozen=True)
class About:
    """What an answer is: "function", "class", "object" or "value", and whose."""

    kind: str
    name: str = ""
    frameworks: tuple[str, ...] = ()  # those it may belong to, likeliest first
    fingerprint: str = ""
    from_the_book: bool = False


@dataclass(frozen=True)
class Failure:
    """An exception in the reader's code."""

    kind: str
    message: str
    line: str = ""
    line_number: int = 0


@dataclass(frozen=True)
class Reply:
    """What one call gave back, in NumPy and Python."""

    output: Any = None
    made_of: tuple[str, ...] = ()  # libraries whose arrays stand in the output
    changed: str = ""  # the argument that the call changed in place
    failure: Failure | None = None


@dataclass
class LocalAnswer:
    """An answer that lives in this process."""

    answer: Any
    seconds: float = SECONDS
    _about: About | None = field(default=None, repr=False)

    def about(self):
        self._about = self._about or describe(self.answer)
        return self._about

    def reply(self, case, framework):
        return reply(self.answer, case, framework, self.seconds)


# ---- What is it? -----------------------------------------------------------------


def describe(answer):
    """Tell what kind of answer this is and which framework it is written in."""
    if isinstance(answer, type):
        kind = "class"
    elif _is_layer(answer):
        kind = "object"
    else:
        kind = "function" if callable(answer) else "value"
    codes = _codes(answer)
    return About(
        kind=kind,
        name=str(getattr(answer, "__name__", "")),
        frameworks=_frameworks(answer, codes),
        fingerprint=_fingerprint(codes) if codes else "",
        from_the_book=str(getattr(answer, "__module__", "")).startswith("scratch."),
    )


def _is_layer(answer):
    return any(
        root in _ROOTS and base.__name__ in ("Module", "Layer")
        for base in type(answer).__mro__
        for root in [base.__module__.partition(".")[0]]
    )


def _codes(answer):
    """Return the code objects of a function, or of all methods of a class."""
    if isinstance(answer, type):
        return _by_name(m.__code__ for m in vars(answer).values() if _is_function(m))
    for inner in ("__wrapped__", "python_function", "func"):  # decorators, tf.function
        answer = getattr(answer, inner, answer)
    return [answer.__code__] if _is_function(answer) else []


def _is_function(value):
    return hasattr(value, "__code__")


def _frameworks(answer, codes):
    if isinstance(answer, type):
        roots = [base.__module__.partition(".")[0] for base in answer.__mro__]
        known = {_ROOTS[root] for root in roots if root in _ROOTS}
        if len(known) == 1:
            return tuple(known)
    scope = getattr(inspect.unwrap(answer), "__globals__", {}) if codes else {}
    used = _libraries(codes, scope, set())
    if len(used) == 1:
        return tuple(used)
    return tuple(name for name in ("torch", "tensorflow") if name in sys.modules)


def _libraries(codes, scope, seen):
    """Follow the names in the code to the frameworks that they belong to."""
    used = set()
    for code in codes:
        if code in seen:
            continue
        seen.add(code)
        used |= _libraries(
            [c for c in code.co_consts if isinstance(c, CodeType)], scope, seen
        )
        for name in code.co_names:
            value = scope.get(name)
            module = getattr(value, "__module__", None) or getattr(
                value, "__name__", ""
            )
            root = str(module).partition(".")[0]
            if root == "scratch":
                root = (str(module) + "..").split(".")[1]
            if root in _ROOTS:
                used.add(_ROOTS[root])
            elif name in _ROOTS and value is None:  # imported inside the function
                used.add(_ROOTS[name])
            elif _is_function(value):  # a helper of the reader's own
                used |= _libraries([value.__code__], scope, seen)
    return used


def _fingerprint(codes):
    """Hash what the code does, whatever it is called and wherever it stands."""
    digest = hashlib.sha256()

    def add(code):
        digest.update(code.co_code)
        digest.update(repr(code.co_names).encode())
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                add(constant)
            else:
                digest.update(repr(constant).encode())

    for code in codes:
        add(code)
    return digest.hexdigest()


# ---- Calling it ------------------------------------------------------------------


def reply(answer, case, framework, seconds=SECONDS):
    """Put one question to the answer and return what it gave back, in NumPy."""
    if not callable(answer) or _is_layer(answer):
        output, made_of = _to_numpy(answer)
        return Reply(output, made_of)
    args = [_to_framework(value, framework) for value in case.args]
    kwargs = {name: _to_framework(v, framework) for name, v in case.kwargs.items()}
    try:
        with undisturbed(), time_limit(seconds):
            made = (
                answer
                if case.new is None
                else _made(answer, case, framework, args, kwargs)
            )
            output, made_of = _to_numpy(made(*args, **kwargs))
    except TookTooLongError as error:
        return Reply(failure=_late(error, answer, seconds))
    except (Exception, SystemExit) as error:
        return Reply(failure=failure_of(error, _files(answer)))
    changed = [
        str(place)
        for place, before, after in [
            *zip(_argument_names(answer, case), case.args, args, strict=False),
            *((name, case.kwargs[name], kwargs[name]) for name in kwargs),
        ]
        if not _equal(before, _to_numpy(after)[0])
    ]
    return Reply(output, made_of, changed[0] if changed else "")


def _argument_names(answer, case):
    """Return the names of the positional arguments, as the reader's code has them."""
    function = answer
    if isinstance(answer, type):
        function = getattr(answer, "forward", None) or getattr(answer, "call", answer)
    try:
        names = [
            name for name in inspect.signature(function).parameters if name != "self"
        ]
    except (TypeError, ValueError):
        names = []
    places = [f"argument {place + 1}" for place in range(len(case.args))]
    return names[: len(places)] + places[len(names) :]


def _made(answer, case, framework, args, kwargs):
    """Build an object of the reader's class and give it the case's weights."""
    made = answer(**case.new)
    if framework == "torch":
        made.train(case.training)
    elif any("." not in path and not hasattr(made, path) for path in case.weights):
        made(*args, **kwargs)  # Keras makes a layer's own weights when it is first used
    for path in sorted(case.weights, key=lambda path: path.endswith("bias")):
        _set_weight(made, path, case.weights[path], framework)
    if case.weights:
        _require_no_other_weights(made, case, framework)
    if framework == "tensorflow" and case.training:
        return lambda *a, **k: made(*a, training=True, **k)
    return made


def _set_weight(made, path, value, framework):
    *parents, last = path.split(".")
    owner = made
    try:
        for name in parents:
            owner = owner[int(name)] if name.isdigit() else getattr(owner, name)
        if framework == "torch":
            _set_torch_weight(owner, path, last, value)
        else:
            _set_keras_weight(owner, path, last, value)
    except (AttributeError, IndexError, TypeError) as error:
        raise MisfitError(f"your class has no weight `{path}`") from error


def _set_torch_weight(owner, path, last, value):
    import torch

    if last == "kernel" and isinstance(owner, torch.nn.Linear):
        value = value.T
    parameter = getattr(owner, _TORCH_WEIGHTS.get(last, last))
    _require_shape(path, parameter, value)
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(value.copy()))


def _set_keras_weight(owner, path, last, value):
    if not getattr(owner, "built", True):
        owner.build((None, len(value)))
    name = _KERAS_WEIGHTS.get(last, last)
    if last == "bias" and not hasattr(owner, "bias"):
        name = "beta"  # as a layer norm calls it
    variable = getattr(owner, name)
    _require_shape(path, variable, value)
    variable.assign(value)


_TORCH_WEIGHTS = {"kernel": "weight", "scale": "weight", "rows": "weight"}
_KERAS_WEIGHTS = {"scale": "gamma", "rows": "embeddings"}


def _require_shape(path, parameter, value):
    if tuple(parameter.shape) != value.shape:
        raise MisfitError(
            f"`{path}` has shape {tuple(parameter.shape)}; {value.shape} is wanted"
        )


def _require_no_other_weights(made, case, framework):
    weights = made.parameters() if framework == "torch" else made.trainable_weights
    has = sum(math.prod(weight.shape) for weight in weights)
    wanted = sum(value.size for value in case.weights.values())
    if has != wanted:
        raise MisfitError(f"your class learns {has} numbers; {wanted} are wanted")


def _to_framework(value, framework):
    if isinstance(value, np.ndarray):
        if framework == "torch":
            import torch

            return torch.from_numpy(value.copy())
        if framework == "tensorflow":
            import tensorflow as tf

            whole = np.issubdtype(value.dtype, np.integer)
            return tf.constant(value, tf.int32 if whole else None)
    if isinstance(value, list | tuple):
        return type(value)(_to_framework(item, framework) for item in value)
    return copy.deepcopy(value)


def _to_numpy(value):
    """Return (value with NumPy for tensors, the libraries the tensors came from)."""
    made_of = set()

    def convert(item):
        root = type(item).__module__.partition(".")[0]
        if isinstance(item, np.ndarray | np.generic):
            made_of.add("numpy")
            return np.array(item)
        if root == "torch" and hasattr(item, "detach"):
            made_of.add("torch")
            item = item.detach().cpu()
            return (
                (item.float() if "bfloat16" in str(item.dtype) else item).numpy().copy()
            )
        if root in ("tensorflow", "keras") and hasattr(item, "numpy"):
            made_of.add("tensorflow")
            return np.array(item.numpy())
        if isinstance(item, tuple | list):
            return (tuple if isinstance(item, tuple) else list)(map(convert, item))
        if isinstance(item, dict):
            return {key: convert(inner) for key, inner in item.items()}
        return item

    return convert(value), tuple(sorted(made_of))


def _equal(before, after):
    if isinstance(before, np.ndarray):
        return np.shape(before) == np.shape(after) and bool(
            np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
        )
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(map(_equal, before, after))
    return type(before) is type(after) and before == after


# ---- When it fails ---------------------------------------------------------------


def _files(answer):
    return {code.co_filename for code in _codes(answer)}


def _late(error, answer, seconds):
    where = failure_of(error, _files(answer))
    message = f"it ran for more than {seconds:g} seconds"
    return Failure("TookTooLong", message, where.line, where.line_number)


def failure_of(error, files):
    """Describe an exception, by the deepest line that stands in the reader's files."""
    if isinstance(error, SyntaxError) and error.filename in files:
        line, number = error.text or "", error.lineno or 0
    else:
        frame = _readers_frame(error, files)
        line = linecache.getline(frame.filename, frame.lineno) if frame else ""
        number = frame.lineno if frame else 0
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return Failure(type(error).__name__, _first_words(message), line.strip(), number)


def _readers_frame(error, files):
    """Return the deepest frame in the reader's files, else in no library's."""
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if frame.filename in files:
            return frame
    libraries = tuple(
        sysconfig.get_paths()[key] for key in ("stdlib", "purelib", "platlib")
    )
    here = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(frames):
        if not frame.filename.startswith((*libraries, here)):
            return frame
    return None


def _first_words(message):
    """Shorten a library's message to its first telling line."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", message)
    message = re.sub(r"^Exception encountered when calling [^\n]*\n+", "", message)
    message = re.sub(r"\{\{function_node [^}]*\}\}\s*", "", message)
    line = message.strip().partition("\n")[0].strip()
    return line if len(line) <= 160 else line[:157] + "…"


# ---- Leaving the reader's session as it was --------------------------------------


@contextlib.contextmanager
def undisturbed():
    """Draw from fixed seeds, give the reader's back afterwards, let nothing print."""
    python, numpy_state = random.getstate(), np.random.get_state()
    torch = sys.modules.get("torch")
    torch_state = torch.get_rng_state() if hasattr(torch, "get_rng_state") else None
    keras_state = _keras_seed_state()
    random.seed(0)  # Keras' initialisers draw their seeds here
    np.random.seed(0)
    if torch_state is not None:
        torch.manual_seed(0)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy_state)
        if torch_state is not None:
            torch.set_rng_state(torch_state)
        if keras_state is not None:
            keras_state[0].assign(keras_state[1])


def _keras_seed_state():
    """Return (variable, value) of Keras' global seed, if it has drawn one already."""
    if "keras" not in sys.modules or not hasattr(sys.modules["keras"], "backend"):
        return None
    try:
        from keras.src.backend.common import global_state
    except ImportError:  # not part of Keras' promises: another version may move it
        return None
    generator = global_state.get_global_attribute("global_seed_generator")
    return None if generator is None else (generator.state, np.array(generator.state))


@contextlib.contextmanager
def time_limit(seconds):
    """Stop the reader's code after some seconds, where the platform can."""
    can = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not can:
        yield
        return

    def stop(signum, frame):
        raise TookTooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- Programs as text ------------------------------------------------------------


def fingerprint_of(program, name):
    """Return the fingerprint that the answer of a program has, without running it."""
    for code in compile(program, "<starter>", "exec").co_consts:
        if isinstance(code, CodeType) and code.co_name == name:
            methods = [c for c in code.co_consts if isinstance(c, CodeType)]
            is_class = "__qualname__" in code.co_names
            return _fingerprint(_by_name(methods) if is_class else [code])
    return ""


def _by_name(codes):
    return sorted(codes, key=lambda code: code.co_name)


_PRELUDES = {
    "torch": "import math\nimport numpy as np\nimport torch\nfrom torch import nn\n",
    "tensorflow": (
        "import math\nimport numpy as np\nimport scratch.tensorflow\n"
        "import tensorflow as tf\nimport keras\n"
    ),
    "python": "import math\nimport numpy as np\n",
}


def prelude(framework):
    """The imports that stand above the starters in a reader's notebook."""
    return _PRELUDES[framework]


def run_program(program, name, framework, given=None):
    """Run a program of ours and return what it leaves under a name."""
    filename = f"<exercise {hashlib.sha256(program.encode()).hexdigest()[:12]}>"
    linecache.cache[filename] = (len(program), None, program.splitlines(True), filename)
    scope = {"__name__": "__main__", **(given or {})}
    exec(_PRELUDES[framework], scope)
    exec(compile(program, filename, "exec"), scope)
    return scope[name]
