"""Train the models that `readymade.data.number_game.stages` reads.

    python -m tools.experiments.train_assistant     half a minute on one core

The base model of the number game goes through the stages of chapter 15, with its data,
its settings and its seeds. Writes a file for each stage to readymade/data/number_game,
and prints the share of right answers to the questions of the chapter's last table.
"""

from readymade.data import number_game as game
from readymade.weights import load_checkpoint
from readymade.weights.parameters import parameters_of, untied
from tools.experiments.post_training import (
    DPO,
    EXAM,
    preferred,
    refusal_pairs,
    rewarded,
    right,
    share,
    tuned,
)

import numpy as np
import torch
from safetensors.numpy import save_file

SEED = 0


def trained():
    """Return {stage: model}: the base model, and each stage trained from the last."""
    base, _ = load_checkpoint(game.base_path())
    instructions = tuned(base, SEED)
    _, steps, rate = DPO[0]
    pairs = refusal_pairs(600, 5_000 + SEED)
    preferences = preferred(instructions, pairs, steps, rate, SEED)
    rewards, _ = rewarded(preferences, right, SEED)
    models = base, instructions, preferences, rewards
    return dict(zip(("base", *game.STAGES), models, strict=True))


def scores(model):
    """Return the share of right answers to the chapter's questions of each kind."""
    answered = {
        kind: game.answers(model, [game.prompt(one.text) for one in asked])
        for kind, asked in EXAM.items()
    }
    return " ".join(
        f"{kind} {share(game.is_right, EXAM[kind], answers):.2f}"
        for kind, answers in answered.items()
    )


def main():
    torch.set_num_threads(1)
    models = trained()
    for name in game.STAGES:
        path = game.base_path() / f"{name}.safetensors"
        parameters = untied(parameters_of(models[name]))
        save_file(
            {key: one.read().astype(np.float16) for key, one in parameters.items()},
            path,
        )
        path.chmod(0o644)  # safetensors makes its files readable by their owner only
    for name, stored in game.stages().items():
        for which, one in {"trained": models[name], "stored": stored}.items():
            print(f"{name:12} {which}: {scores(one)}")


if __name__ == "__main__":
    main()
