"""Encoder forward passes and training steps."""

from benchmarks.stacks import config_of, tensorflow_stacks, torch_stacks
from benchmarks.timing import interleaved

import keras
import numpy as np
import tensorflow as tf
import torch

WIDTHS = (384, 768)
SHAPES = ((8, 128), (1, 512))  # (batch, length)
NUM_LAYERS = 6


def measure(repetitions, progress, widths=WIDTHS, shapes=SHAPES, layers=NUM_LAYERS):
    """Yield (framework, task, contender, seconds) for every width and shape."""
    for d_model in widths:
        for framework, measure_one in (("PyTorch", in_torch), ("TensorFlow", in_tf)):
            for batch, length in shapes:
                x = np.random.default_rng(0).normal(size=(batch, length, d_model))
                tasks = measure_one(config_of(d_model, layers), x.astype(np.float32))
                for name, contenders in tasks.items():
                    task = f"{name}, {d_model}, {batch} × {length}"
                    times = interleaved(contenders, repetitions, progress)
                    for contender, seconds in times.items():
                        yield framework, task, contender, seconds


def in_torch(config, x):
    """Return {"forward": {name: function}, "training step": {name: function}}."""
    x = torch.tensor(x)
    runs, modules = torch_stacks(config)
    forward, step = {}, {}
    for name, run in runs.items():
        parameters = [p for p in modules[name].parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(parameters)

        @torch.inference_mode()
        def forward_once(run=run, module=modules[name]):
            module.eval()
            run(x)

        def step_once(run=run, module=modules[name], optimizer=optimizer):
            module.train()
            optimizer.zero_grad()
            (run(x) ** 2).mean().backward()
            optimizer.step()

        forward[name], step[name] = forward_once, step_once
    return {"forward": forward, "training step": step}


def in_tf(config, x):
    """The same for TensorFlow, inside tf.function."""
    x = tf.constant(x)
    runs = tensorflow_stacks(config)
    forward, step = {}, {}
    for name, run in runs.items():
        run(x)
        used = used_variables(run, x)
        forward[name] = tf.function(lambda run=run: run(x))
        step[name] = training_step(run, x, used)
    return {"forward": forward, "training step": step}


def used_variables(run, x):
    """Return the variables that the result depends on."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(run(x) ** 2)
    variables = tape.watched_variables()
    gradients = tape.gradient(loss, variables)
    return [v for v, g in zip(variables, gradients, strict=True) if g is not None]


def training_step(run, x, variables):
    """Return one step of AdamW as a tf.function."""
    optimizer = keras.optimizers.AdamW()
    optimizer.build(variables)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(run(x) ** 2)
        optimizer.apply(tape.gradient(loss, variables), variables)

    return step
