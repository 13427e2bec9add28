"""The server under load: many clients at once, and one at a time.

The clients are OpenAI's, in a thread each. They ask the number game's questions, one
after the other, and read the answers as streams. Server and clients are one process on
one core, and its processor time is the clock: a busy machine changes nothing.
"""

import csv
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from readymade.data import number_game
from readymade.server import serve

import numpy as np
import torch
from openai import OpenAI

RESULTS = Path(__file__).with_name("server.csv")
ROUNDS = 3
# clients, requests in all, slots
LOADS = ((1, 64, 8), (64, 512, 8), (64, 512, 64))
HEADER = (
    *("clients", "slots", "texts a second", "tokens a second"),
    *("first token, median", "first token, 95 %"),
)


def main():
    """Measure all loads, print the table and store it beside this file."""
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *measure()])
    print(RESULTS.read_text(encoding="utf-8"))


def measure(loads=LOADS, rounds=ROUNDS):
    """Return rows of the table, medians of rounds in which the loads take turns."""
    found = {load: [] for load in loads}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for _ in range(rounds):
            for load in loads:
                found[load].append(run(*load))
    finally:
        torch.set_num_threads(threads)
    rows = []
    for (clients, _, slots), measured in found.items():
        texts, tokens, first, late = map(median, zip(*measured, strict=True))
        speeds = f"{texts:.1f}", f"{tokens:.0f}"
        rows.append((clients, slots, *speeds, f"{first:.0f} ms", f"{late:.0f} ms"))
    return rows


def run(clients, requests, slots):
    """Return texts and tokens a second, then the median and the 95th percentile of the
    milliseconds to the first token.
    """
    questions = [one.text for one in number_game.questions(requests, seed=3)]
    with (
        serve(port=0, slots=slots, blocks=16 * slots) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as api,
        ThreadPoolExecutor(clients) as threads,
    ):
        answer(api, questions[0])  # warms up
        begin = time.process_time()
        answers = threads.map(lambda text: answer(api, text), questions)
        counts, firsts = zip(*answers, strict=True)
        seconds = time.process_time() - begin
    waits = 1000 * np.quantile(firsts, [0.5, 0.95])
    return requests / seconds, sum(counts) / seconds, *waits


def answer(api, text):
    """Return the number of an answer's tokens, and the seconds to the first."""
    begin = time.process_time()
    stream = api.chat.completions.create(
        model="number-game",
        messages=[{"role": "user", "content": text}],
        temperature=0,
        stream=True,
        stream_options={"include_usage": True},
    )
    next(stream)
    first = time.process_time() - begin
    *_, last = stream
    return last.usage.completion_tokens, first


if __name__ == "__main__":
    main()
