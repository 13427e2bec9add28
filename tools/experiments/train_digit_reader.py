"""Train the model that `readymade.data.digit_reader` reads.

    python -m tools.experiments.train_digit_reader     half a minute on one core

Trains on digits that are moved by a pixel, turned, slanted, stretched and drawn with
other pens, anew in each batch. Writes readymade/data/digit_classifier.safetensors, and
prints the share of held-out digits that it gets right, with and without all this.
"""

from readymade.data import digit_reader, digits, moved
from readymade.data.trained_digit_reader import PATH, new_digit_reader
from tools.experiments.picture_digits import STEP, answers, batches, class_loss
from tools.experiments.picture_training import trained

import numpy as np
import torch
from safetensors.torch import save_file
from torch.nn import functional as F

STEPS, BATCH, SEED = 1_000, 64, 0


def redrawn(pictures, generator):
    """Return pictures as other hands would have drawn them: (batch, 1, 8, 8)."""
    count = len(pictures)

    def normal(deviation):
        return torch.tensor(generator.normal(0, deviation, count), dtype=torch.float)

    turn, slant = normal(0.084), normal(0.14)
    width, height = 1 + normal(0.084), 1 + normal(0.056)
    right, down = normal(0.084), normal(0.056)
    cos, sin = torch.cos(turn), torch.sin(turn)
    rows = [cos / width, (slant - sin) / width, right, sin / height, cos / height, down]
    places = torch.stack(rows, 1).reshape(count, 2, 3)
    grid = F.affine_grid(places, pictures.shape, align_corners=False)
    changed = F.grid_sample(torch.tensor(pictures), grid, align_corners=False).numpy()
    ink = generator.uniform(0.8, 1.5, (count, 1, 1, 1))
    return np.clip(ink * changed, 0, 1).astype(np.float32)


def learned(change):
    """Return a reader that was trained on pictures to which `change` happened."""
    (pictures, labels), _ = digits()
    copies = np.concatenate([pictures, *(moved(pictures, *one) for one in STEP)])
    data = batches(len(copies), BATCH, STEPS, SEED, copies, np.tile(labels, 5))
    generator = np.random.default_rng(SEED)
    data = [(change(one, generator), wanted) for one, wanted in data]
    torch.manual_seed(SEED)
    model = new_digit_reader()
    trained(model, data, class_loss, 3e-3, 40, weight_decay=0.05)
    return model


def shares(model):
    """Return the shares of held-out digits that are read: as they are, and moved."""
    _, (pictures, labels) = digits()
    right = [
        (answers(model, moved(pictures, *one)) == labels).mean()
        for one in [(0, 0), *STEP]
    ]
    return f"{right[0]:.3f} of held-out digits, {np.mean(right[1:]):.3f} of moved ones"


def main():
    torch.set_num_threads(1)
    model = learned(redrawn)
    weights = {name: one.detach().half() for name, one in model.named_parameters()}
    save_file(weights, PATH)
    PATH.chmod(0o644)  # safetensors makes its files readable by their owner only
    print("redrawn, float32:", shares(model))
    print("redrawn, float16:", shares(digit_reader()))
    print("moved copies alone:", shares(learned(lambda pictures, _: pictures)))


if __name__ == "__main__":
    main()
