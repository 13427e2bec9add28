"""Import TensorFlow without its start-up lines.

Compiled code writes them to file descriptor 2, on import and
when it looks for GPUs; no setting stops them all. So the
descriptor points to the null device until both are over.
Python's errors still reach the reader: they are raised, not
written.

A GPU's memory is taken as it is needed, because PyTorch may
use the same GPU; by default TensorFlow takes nearly all. This
can be set only before the first operation, and so can
devices and strategies: nothing here runs one.

Newer GPUs multiply float32 with 10 bits after the point in
place of 23 (TensorFloat-32), unless it is switched off.
PyTorch computes its linear layers with all of them.
"""

import os
import sys

# An error is raised: it need not be logged, too.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

sys.stderr.flush()
stderr = os.dup(2)
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 2)
try:
    import keras
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
finally:
    os.dup2(stderr, 2)
    os.close(stderr)
    os.close(null)

for gpu in gpus:
    try:
        tf.config.experimental.set_memory_growth(gpu, True)
    except (RuntimeError, ValueError):
        # TensorFlow ran before, or the reader set it.
        break

tf.config.experimental.enable_tensor_float_32_execution(False)

# A notebook compiles a function for every model it trains;
# the advice against it is for programs.
tf.get_logger().setLevel("ERROR")

backend = keras.backend.backend()
if backend != "tensorflow":
    raise ImportError(
        f"Keras runs on {backend!r}: wanted 'tensorflow' "
        "(unset KERAS_BACKEND and start Python again; see https://github.com/"
        "transformer-twice/book/blob/main/book/trouble.md#the-wrong-kernel)"
    )
