"""Run chapter 17's script for a cluster on two machines, and kill a part of one.

    python -m tools.experiments.two_machines [TRIALS]

Both machines are this one, without a GPU: stand-ins for Slurm's commands start
`torchrun` twice, with a worker each. One run is left alone. In the others, a worker is
killed at step 30 of 60, or a `torchrun` and its worker. The outcome of a run is printed
after two minutes at most.
"""

import os
import re
import runpy
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scratch.torch import Transformer, cross_entropy, shift_right

import nbformat
import psutil
import torch

ROOT = Path(__file__).parents[2]
STEPS, EVERY, KILLED_AT, PATIENCE, CPUS = 60, 10, 30, 120, "1"
# It waits for both machines, as `srun` does without `--kill-on-bad-exit`.
SRUN = """
while [[ $1 == -* ]]; do shift; done  # srun's own options
"$@" & "$@"
last=$?
wait %1 && exit $last
"""
STAND_INS = {"scontrol": "echo localhost", "srun": SRUN}


def cells():
    """Return the chapter's cells, as text."""
    path = ROOT / "book" / "17_many_machines.ipynb"
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def programs():
    """Return {name: text} of the programs that the chapter writes."""
    written = re.compile(r"%%writefile (\S+)\n(.*)", re.DOTALL)
    return dict(match.groups() for cell in cells() if (match := written.match(cell)))


def script(folder, steps, every):
    """Return the chapter's script, adapted to this machine and one worker each."""
    (text,) = re.findall(r"^(#SBATCH.*?)^```", "\n".join(cells()), re.M | re.S)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for theirs, here in {
        "--nproc-per-node=8": "--nproc-per-node=1",
        ":29500": f":{port}",
        "/shared/run 100000 500": f"{folder} {steps} {every}",
    }.items():
        if text.count(theirs) != 1:
            raise ValueError(f"{theirs} is in the script {text.count(theirs)} times")
        text = text.replace(theirs, here)
    return text


def prepare(folder):
    """Write programs, stand-ins and the checkpoint of step 0; return its model."""
    for name, text in programs().items():
        (folder / name).write_text(text)
    for name, text in STAND_INS.items():
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
    (folder / "run").mkdir()
    torch.manual_seed(0)
    model = Transformer(runpy.run_path(folder / "number_task.py")["config"])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, folder / "run" / "000000")
    return model


def start(folder, steps, every):
    """Start the script; the output of all workers goes into a file."""
    settings = {
        "PATH": f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "SLURM_CPUS_PER_TASK": CPUS,
    }
    with open(folder / "log", "w") as log:
        return subprocess.Popen(
            ["bash", "-c", script("run", steps, every)],
            cwd=folder,
            env={**os.environ, **settings},
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def end(job):
    """Kill the script and every process that it has started."""
    for process in [*psutil.Process(job.pid).children(recursive=True), job]:
        process.kill()
    job.wait()


def distance(model, folder, steps):
    """Train the model here; return how far its weights are from those of the run."""
    batch = runpy.run_path(folder / "number_task.py")["batch"]
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(steps):
        source, target = map(torch.as_tensor, batch(step))
        logits = model(source, shift_right(target, 1))
        optimizer.zero_grad()
        cross_entropy(logits, target, 0).backward()
        optimizer.step()
    saved = torch.load(folder / "run" / f"{steps:06d}")["model"]
    weights = model.state_dict()
    return max(float((saved[name] - weights[name]).abs().max()) for name in weights)


def trial(lost=None):
    """Lose a worker, a machine or nothing; return the outcome of the run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = prepare(folder)
        job = start(folder, STEPS, EVERY)
        while not (folder / "run" / f"{KILLED_AT:06d}").exists():
            if job.poll() is not None:
                raise RuntimeError((folder / "log").read_text()[-3_000:])
            time.sleep(0.01)
        # torchrun starts workers unbuffered
        processes = psutil.Process(job.pid).children(recursive=True)
        *_, worker = [one for one in processes if "-u" in one.cmdline()]
        lose = {None: [], "worker": [worker], "machine": [worker.parent(), worker]}
        for process in lose[lost]:
            process.kill()
        begin = time.monotonic()
        while job.poll() is None and time.monotonic() < begin + PATIENCE:
            time.sleep(0.1)
        spent = f"{time.monotonic() - begin:.0f} s"
        if job.poll() is None:
            end(job)
            outcome = f"waiting after {spent}"
        elif job.returncode:
            outcome = f"failed after {spent}"
        else:
            apart = distance(model, folder, STEPS)
            outcome = f"finished after {spent}, weights within {apart:.0e}"
        log = (folder / "log").read_text()
        begun = re.findall(r"^worker 0 of 2 begins at (\d+)", log, re.MULTILINE)
        errors = sorted(set(re.findall(r"\b(\w+Error)\b:", log)))
        return f"{outcome}; begun at {', '.join(begun)}; {', '.join(errors)}"


def main():
    torch.set_num_threads(1)  # the workers run at the same time
    print(f"nothing lost: {trial()}", flush=True)
    trials = int(*sys.argv[1:] or ["3"])
    for lost in ("worker", "machine"):
        for number in range(1, trials + 1):
            print(f"{lost} lost, trial {number}: {trial(lost)}", flush=True)


if __name__ == "__main__":
    main()
