"""Read the sentences of the page "Live models" with our encoder, once for all readers.

    python tools/first_readings.py     a few seconds

Writes book/_ext/first_readings.json: what the page shows before its model is loaded.
Run it when the sentences in book/live.md or MiniLM change; a test fails otherwise.
"""

import json
import re
import sys
from base64 import b64encode
from pathlib import Path

from readymade.weights import load_checkpoint
from readymade.weights.parameters import parameters_of

import numpy as np
import torch

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))
from live_files import FIRST_READINGS, in_8_bits, is_matrix  # noqa: E402

PAGE = ROOT / "book" / "live.md"
# The head that the page shows first: its attention differs between the two sentences.
FIRST_LAYER, FIRST_HEAD = 3, 1


def first_readings():
    """Return the encoder's readings of the page's first sentences, as JSON.

    The page works with them before the model is loaded: all attention maps in 8 bits,
    and the queries, keys and values of one head, computed with the rounded weights.
    """
    page = PAGE.read_text(encoding="utf-8")
    fields = dict(
        re.findall(r'<textarea id="live-(\w+)".*?>(.*?)</textarea>', page, re.S)
    )
    wanted = re.search(r'id="live-wanted".*?value="(.*?)"', page)[1]
    model, tokenizer = load_checkpoint()
    for name, parameter in parameters_of(model).items():
        values = parameter.read()
        if is_matrix(name, values):
            rounded, scale = in_8_bits(values)
            parameter.write(rounded * scale[:, None])

    def read(text):
        ids = np.array([tokenizer.encode(text)])
        x, keys = model.embeddings(torch.as_tensor(ids)), {}
        for number, layer in enumerate(model.layers):
            if number == FIRST_LAYER:
                head = slice(32 * FIRST_HEAD, 32 * (FIRST_HEAD + 1))
                for kind in ("query", "key", "value"):
                    part = getattr(layer.self_attention, kind)(x)[0, :, head]
                    keys[kind] = in_base64(part.detach().numpy())
            x, weights = layer(x)
            keys.setdefault("maps", []).append(weights[0].detach().numpy())
        maps = np.rint(255 * np.stack(keys.pop("maps"))).astype(np.uint8)
        vector = x[0].mean(0).detach().numpy()
        return {
            "text": text,
            "ids": ids[0].tolist(),
            "tokens": tokenizer.tokens(ids[0].tolist()),
            "maps": in_base64(maps),
            "vector": vector / np.linalg.norm(vector),
            **keys,
        }

    sentences = [read(fields[name]) for name in ("first", "second")]
    notes = [read(note) for note in [wanted, *fields["notes"].split("\n")]]
    similarities = [
        {"text": note["text"], "similarity": float(notes[0]["vector"] @ note["vector"])}
        for note in notes[1:]
    ]
    for sentence in sentences:
        sentence["vector"] = in_base64(sentence["vector"])
    first = {"layer": FIRST_LAYER, "head": FIRST_HEAD}
    return json.dumps({"sentences": sentences, "found": similarities, **first})


def in_base64(array):
    return b64encode(np.ascontiguousarray(array).tobytes()).decode()


if __name__ == "__main__":
    FIRST_READINGS.write_text(first_readings(), encoding="utf-8")
