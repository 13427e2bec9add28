"""Leave the reader's session unchanged, and stop code that does not end."""

import contextlib
import io
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np

_MOST_WAITING = 6  # times the limit by the clock, for code that sleeps
_AGAIN = 0.2  # seconds


class TookTooLongError(BaseException):
    """Raised inside the reader's code; a BaseException, so that it gets through."""


@contextlib.contextmanager
def undisturbed():
    """Draw from fixed seeds and print nothing; then restore the reader's seeds."""
    python, numpy_state = random.getstate(), np.random.get_state()
    torch = sys.modules.get("torch")
    torch_state = torch.get_rng_state() if hasattr(torch, "get_rng_state") else None
    keras_state = _keras_state()
    drawing = keras_state and keras_state.get_global_attribute(_KERAS_GENERATOR)
    random.seed(0)  # from which Keras' initializers draw their seeds
    np.random.seed(0)
    if torch_state is not None:
        # `torch.manual_seed` records the stack for every kind of accelerator that is
        # missing, which takes longer than most answers.
        torch.default_generator.manual_seed(0)
    if keras_state:  # when needed, Keras makes another, whose seed it draws
        keras_state.set_global_attribute(_KERAS_GENERATOR, None)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy_state)
        if torch_state is not None:
            torch.set_rng_state(torch_state)
        if keras_state:
            keras_state.set_global_attribute(_KERAS_GENERATOR, drawing)


_KERAS_GENERATOR = "global_seed_generator"


def _keras_state():
    """Return the module that holds Keras' generator of seeds, if Keras is loaded."""
    if "keras" not in sys.modules or not hasattr(sys.modules["keras"], "backend"):
        return None
    try:
        from keras.src.backend.common import global_state
    except ImportError:  # not public in Keras, so another version may move it
        return None
    return global_state


@contextlib.contextmanager
def time_limit(seconds, waiting=_MOST_WAITING):
    """Stop the reader's code after some seconds of work, if the platform can.

    Time that a busy machine spends on others does not count, up to `waiting` times the
    limit by the clock.
    """
    can = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not can:
        yield
        return

    worked, begun = time.process_time(), time.monotonic()

    def stop(signum, frame):
        left = seconds - (time.process_time() - worked)
        late = time.monotonic() - begun >= waiting * seconds
        # Repeatedly, because an exception during garbage collection is lost.
        signal.setitimer(signal.ITIMER_REAL, _AGAIN if late else max(left, _AGAIN))
        if late or left <= 0:
            raise TookTooLongError

    before = signal.signal(signal.SIGALRM, stop)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *outer)
