"""Prompts for the models of the live page, and what our models write after them.

Each of three models continues 200 prompts by greedy search: with its own weights
(`exact`), and with the weights that the page has (`ours`).
"""

import re
from functools import cache
from types import SimpleNamespace

from readymade.data import novel, number_game, translator, writer_path
from readymade.weights import load_checkpoint

import torch

# Defines `work`, which gives the page's worker a job, and `from`, which loads a file of
# the page. The worker has all models except those in `without`.
START = """async without => {
    const script = document.getElementById("live-start");
    const at = name => new URL(name, script.src).href;
    const worker = new Worker(at("worker.js"), {type: "module"});
    let asked = 0;
    globalThis.work = (job, details) => new Promise((resolve, reject) => {
        const number = ++asked;
        worker.addEventListener("message", function hear({data}) {
            // While a model loads, messages say how much of it is here.
            if (data.number !== number || "loaded" in data) return;
            worker.removeEventListener("message", hear);
            if (data.error) reject(new Error(data.error));
            else resolve(data.result);
        });
        worker.postMessage({number, job, ...details});
    });
    globalThis.from = name => import(at(name));
    globalThis.asBase64 = parts => new Promise(resolve => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.split(",")[1]);
        reader.readAsDataURL(new Blob(parts));
    });
    const {encoder, tokenizer, writer, translator, assistant, digits} = script.dataset;
    await Promise.all([
        {name: "encoder", file: at(encoder), tokenizer: at(tokenizer)},
        {name: "writer", file: at(writer)},
        {name: "translator", file: at(translator)},
        {name: "assistant", file: at(assistant)},
        {name: "digits", file: at(digits)},
    ].filter(({name}) => !without.includes(name)).map(model => work("load", model)));
}"""

# All texts, and the logits after each prompt.
WRITE_ALL = """async ([jobs, end, most]) => {
    const texts = [], parts = [];
    for (const {name, ids, source} of jobs) {
        const {written, logits} = await work("write", {name, ids, source, end, most});
        texts.push(written);
        parts.push(logits);
    }
    return [texts, await asBase64(parts)];
}"""


def rounded(model):
    """Round the model's weights to those that the page has."""
    for name, tensor in dict(model.named_parameters()).items():
        if tensor.ndim == 2 and not re.search("positions|segments", name):
            tensor = tensor.detach()
            scale = tensor.abs().amax(dim=1, keepdim=True) / 127
            tensor.copy_(torch.round(tensor / torch.where(scale > 0, scale, 1)) * scale)
    return model


def until(end, row):
    row = row.tolist()
    return row[: row.index(end) + 1] if end in row else row


@cache
def of_writer():
    """Return 200 prompts of 12 tokens, continued by 12 more."""
    model, tokenizer = load_checkpoint(writer_path())
    prompts = torch.tensor(tokenizer.encode(novel()[23])[: 200 * 12]).reshape(-1, 12)
    jobs = [{"name": "writer", "ids": row} for row in prompts.tolist()]

    def texts():
        return [until(999, row[12:]) for row in model.generate(prompts, 999, 12)]

    with torch.no_grad():
        exact, exact_logits = texts(), model(prompts)[:, -1]
        rounded(model)
        return SimpleNamespace(
            asked=[jobs, 999, 12], exact=exact, exact_logits=exact_logits.numpy(),
            ours=texts(), logits=model(prompts)[:, -1].numpy(),
        )  # fmt: skip


@cache
def of_translator():
    """Return 100 held-out numbers and 100 below 1,000; a quarter also with beams."""
    model, task = translator()
    numbers = [*task.test_numbers[:100], *range(0, 1000, 10)]
    ids = torch.tensor(task.encode(numbers)[0])
    jobs = [{"name": "translator", "ids": [1], "source": until(2, row)} for row in ids]

    def texts(ids, **search):
        return [until(2, row) for row in model.generate(ids, 1, 2, 14, **search)]

    exact = texts(ids)
    rounded(model)
    beams = texts(ids[::4], beam_size=3)
    return SimpleNamespace(
        asked=[jobs, 2, 14], exact=exact, ours=texts(ids), beams=beams
    )


@cache
def of_stages():
    """Return 50 questions, ten of each kind, for each of the assistant's stages."""
    questions = [
        question
        for kind in number_game.KINDS
        for question in number_game.questions(10, kind, seed=77, held_out=True)
    ]
    end = number_game.END_OF_TEXT
    plain = [[end, *number_game.encode(question.text)] for question in questions]
    chat = [number_game.prompt(question.text) for question in questions]
    stages = {}
    for stage, model in number_game.stages().items():
        prompts, end = (plain, end) if stage == "base" else (chat, number_game.END)
        jobs = [{"name": f"assistant.{stage}", "ids": row} for row in prompts]
        exact = number_game.answers(model, prompts, end=end)
        rounded(model)
        ours = number_game.answers(model, prompts, end=end)
        stages[stage] = SimpleNamespace(
            asked=[jobs, end, number_game.LONGEST], exact=exact, ours=ours, model=model
        )
    return questions, stages


def assert_same_but_for_ties(one, texts):
    """Check that texts equal a stage's, or first differ where two tokens tie."""
    for job, *both in zip(one.asked[0], texts, one.ours, strict=True):
        written, ours = map(number_game.encode, both)
        if written != ours:
            pairs = zip(written, ours, strict=False)
            place = next(n for n, (a, b) in enumerate(pairs) if a != b)
            with torch.no_grad():
                logits = one.model(torch.tensor([job["ids"] + ours[:place]]))[0, -1]
            assert abs(logits[written[place]] - logits[ours[place]]) < 1e-3, both
