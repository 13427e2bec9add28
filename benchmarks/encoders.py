"""Encoder forward passes and training steps."""

from functools import partial

from benchmarks.memory import in_a_process_of_its_own, peak_memory
from benchmarks.stacks import PACKED, TENSORFLOW, TORCH, config_of, tf_stack
from benchmarks.timing import interleaved
from readymade.packed import packed

import keras
import numpy as np
import tensorflow as tf
import torch
from torch import nn

WIDTHS = (384, 768)
SHAPES = ((8, 128), (1, 512))  # (batch, length)
NUM_LAYERS = 6
ROUNDS = 2 * 2 * len(WIDTHS) * len(SHAPES)  # frameworks, tasks, widths, shapes


def measure(repetitions, progress, widths=WIDTHS, shapes=SHAPES, layers=NUM_LAYERS):
    """Yield (framework, task, contender, seconds, megabytes) for all sizes."""
    for d_model in widths:
        for framework, (tasks, names) in FRAMEWORKS.items():
            for batch, length in shapes:
                config, shape = config_of(d_model, layers), (batch, length, d_model)
                megabytes = {
                    name: in_a_process_of_its_own(
                        memory, framework, config, shape, name
                    )
                    for name in names
                }
                for task, contenders in tasks(config, shape, names):
                    times = interleaved(contenders, repetitions, progress)
                    for name, seconds in times.items():
                        size = f"{task}, {d_model}, {batch} × {length}"
                        yield framework, size, name, seconds, megabytes[name][task]


def memory(framework, config, shape, name):
    """Return {task: megabytes} of one contender."""
    tasks, _ = FRAMEWORKS[framework]
    return {
        task: peak_memory(run)
        for task, contenders in tasks(config, shape, [name])
        for run in contenders.values()
    }


def vectors(shape):
    """Return x (batch, length, d_model), and two of its vectors to warm up with.

    Two, because the weights for a single one are packed in another order.
    """
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    return x, x[:1, :2]


def in_torch(config, shape, names):
    """Yield "forward", {name: function}, then "training step", {name: function}."""
    x, small = map(torch.tensor, vectors(shape))
    stacks = {name: TORCH[name](config) for name in names}
    for _, module in stacks.values():
        module.eval()
    used = stacks[PACKED][1] if PACKED in stacks else nn.Identity()
    # what the caller runs before the next task is without gradients
    with torch.inference_mode(), packed(used):
        for run, _ in stacks.values():
            run(small)  # the first call packs
        yield "forward", {name: partial(run, x) for name, (run, _) in stacks.items()}
    stacks.pop(PACKED, None)
    yield (
        "training step",
        {name: torch_step(run, module, x) for name, (run, module) in stacks.items()},
    )


def torch_step(run, module, x):
    """Return one step of AdamW as a function."""
    optimizer = torch.optim.AdamW(module.train().parameters())

    def step():
        optimizer.zero_grad()
        (run(x) ** 2).mean().backward()
        optimizer.step()

    return step


def in_tf(config, shape, names):
    """Yield the same for TensorFlow, as graphs traced by tf.function."""
    x, small = map(tf.constant, vectors(shape))
    runs = {name: tf_stack(config, TENSORFLOW[name]) for name in names}
    used = {name: used_variables(run, small) for name, run in runs.items()}
    yield "forward", {name: graph(partial(run, x)) for name, run in runs.items()}
    yield "training step", {name: tf_step(runs[name], used[name], x) for name in names}


def graph(run):
    """Return the graph of a function without arguments."""
    return tf.function(run).get_concrete_function()


def used_variables(run, x):
    """Return the variables that the result depends on."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(run(x) ** 2)
    variables = tape.watched_variables()
    gradients = tape.gradient(loss, variables)
    return [v for v, g in zip(variables, gradients, strict=True) if g is not None]


def tf_step(run, variables, x):
    """Return one step of AdamW as a graph."""
    optimizer = keras.optimizers.AdamW()
    optimizer.build(variables)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(run(x) ** 2)
        optimizer.apply(tape.gradient(loss, variables), variables)

    return graph(step)


FRAMEWORKS = {
    "PyTorch": (in_torch, list(TORCH)),
    "TensorFlow": (in_tf, list(TENSORFLOW)),
}
