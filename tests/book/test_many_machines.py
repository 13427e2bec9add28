"""The programs of chapter 17 train the weights of one process, and are short."""

import ast
import os
import runpy
import subprocess
import sys

import scratch.tensorflow
from readymade.weights import copy_weights
from scratch.tensorflow import TFTransformer, tf_cross_entropy, tf_shift_right
from scratch.torch import Transformer

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers import torchrun_workers
from helpers.book import ROOT
from helpers.tools import tool
from torch.distributed.run import config_from_args, parse_args

pytestmark = pytest.mark.slow("a program for several processes that trains otherwise")

two_machines = tool("two_machines")
PROGRAMS = two_machines.programs()
STEPS = 3
ARGUMENTS = ["run", str(STEPS), str(STEPS)]


def statements(program):
    """Count the statements of a program, without imports and its docstring."""
    tree = ast.parse(program)
    skipped = (ast.Import, ast.ImportFrom)
    return sum(
        isinstance(node, ast.stmt) and not isinstance(node, skipped)
        for node in ast.walk(tree)
    ) - (ast.get_docstring(tree) is not None)


def test_the_chapter_writes_the_programs_it_names():
    assert set(PROGRAMS) == {
        "number_task.py",
        "checkpoints.py",
        "train_torch.py",
        "train_tensorflow.py",
        "train_fsdp.py",
        "time_all_reduce.py",
    }


@pytest.fixture
def task(tmp_path):
    """Write the programs and a folder for a run; return the task's definitions."""
    for name, program in PROGRAMS.items():
        (tmp_path / name).write_text(program)
    (tmp_path / "run").mkdir()
    return runpy.run_path(tmp_path / "number_task.py")


def test_the_programs_are_short_and_clean(task, tmp_path):
    assert max(map(statements, PROGRAMS.values())) <= 31
    settings = ["--config", str(ROOT / "pyproject.toml"), "--ignore", "I001,B023,B905"]
    run = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *settings, tmp_path],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_latest_checkpoint_is_the_last_complete_one(tmp_path):
    (tmp_path / "checkpoints.py").write_text(PROGRAMS["checkpoints.py"])
    names = runpy.run_path(tmp_path / "checkpoints.py")
    run = tmp_path / "run"
    run.mkdir()
    for step in (99_500, 100_000):
        with names["saving"](run, step) as file:
            file.write(b"whole")
    with pytest.raises(OSError), names["saving"](run, 100_500) as file:
        file.write(b"a half")
        raise OSError("the disk is full")
    step, file = names["latest"](run)
    assert (step, file.read_bytes()) == (100_000, b"whole")


# Rounding, and Adam's steps, which enlarge that of gradients near 0. What is wrong is
# off by 1e-3, a whole step.
TOLERANCE = 1e-5


def test_three_torch_workers_train_the_weights_of_one_process(tmp_path):
    """Some 15 s, most of them imports: only here do processes add up gradients."""
    model = two_machines.prepare(tmp_path)
    done = subprocess.run(
        [sys.executable, torchrun_workers.__file__, "3", "train_torch.py", *ARGUMENTS],
        cwd=tmp_path,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert two_machines.distance(model, tmp_path, STEPS) < TOLERANCE


def test_the_script_for_a_cluster_starts_a_torchrun_on_each_of_two_machines(tmp_path):
    """The options that torchrun reads: the tool `two_machines` trains with them."""
    two_machines.prepare(tmp_path)
    record = 'printf "%s\\n" "$SRUN_CPUS_PER_TASK" "$@" > "$(mktemp machine.XXX)"\n'
    (tmp_path / "torchrun").write_text(f"#!/bin/bash\n{record}")
    (tmp_path / "torchrun").chmod(0o755)
    assert two_machines.start(tmp_path, STEPS, STEPS).wait() == 0
    one, other = (path.read_text().split("\n") for path in tmp_path.glob("machine.*"))
    assert one == other
    cpus, *options, _ = one
    assert cpus == two_machines.CPUS
    config, _, program = config_from_args(parse_args(options))
    assert (config.min_nodes, config.max_nodes, config.nproc_per_node) == (2, 2, 1)
    assert (config.rdzv_backend, config.max_restarts) == ("c10d", 3)
    assert config.rdzv_endpoint.startswith("localhost:")
    assert program[-4:] == ["train_torch.py", *ARGUMENTS]


def test_a_tensorflow_worker_trains_the_weights_of_a_plain_loop(
    task, tmp_path, untraced, monkeypatch
):
    torch.manual_seed(0)
    model = TFTransformer(task["config"])
    model(*task["batch"](0))
    copy_weights(Transformer(task["config"]), model)
    optimizer = keras.optimizers.AdamW(1e-3, weight_decay=0.01)
    weights = model.trainable_variables
    optimizer.build(weights)
    state = [*model.variables, *optimizer.variables]
    with open(tmp_path / "run" / "000000", "wb") as file:
        np.savez(file, *[v.numpy() for v in state])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "argv", ["train_tensorflow.py", *ARGUMENTS])
    runpy.run_path("train_tensorflow.py", run_name="__main__")
    for step in range(STEPS):
        source, target = map(tf.constant, task["batch"](step))
        with tf.GradientTape() as tape:
            logits = model(source, tf_shift_right(target, 1))
            loss = tf_cross_entropy(logits, target, 0)
        parts = tape.gradient(loss, weights)
        parts = [tf.convert_to_tensor(part) for part in parts]
        optimizer.apply_gradients(zip(parts, weights, strict=True))
    saved = np.load(tmp_path / "run" / f"{STEPS:06d}").values()
    pairs = zip(state, saved, strict=True)
    assert max(float(abs(v.numpy() - array).max()) for v, array in pairs) < TOLERANCE
