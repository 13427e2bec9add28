"""Predict the steps of static and of continuous batching."""

from exercises.engine.exercise import Exercise

import numpy as np

NAMES, SLOTS = "ABCDEF", 2


def values(draw):
    """Draw requests for which no two ways give the same numbers."""
    while True:
        # a request takes at least 2 steps, so that no step is empty
        arrivals = np.cumsum([0, *draw.integers(3, size=5)]).tolist()
        counts = draw.integers(3, 11, size=6).tolist()
        if all_differ(arrivals, counts):
            return in_words(arrivals, counts)


def in_words(arrivals, counts):
    rows = zip(NAMES, arrivals, counts, strict=True)
    table = ["| request | comes at step | gets tokens |", "|---|---|---|"]
    table += [f"| {name} | {comes} | {count} |" for name, comes, count in rows]
    return {"table": "\n".join(table), "arrivals": arrivals, "counts": counts}


def run(
    arrivals,
    counts,
    static,
    slots=SLOTS,
    extra=0,
    joins=False,
    full=False,
    shortest=False,
):
    """Return the number of steps, and when the last request begins.

    extra: steps that each request takes beside those of its tokens; joins: whether a
    static batch takes others in while it has slots that were not used; full: whether it
    waits until all have someone; shortest: whether the shortest that waits is next.
    """
    waiting, running, starts, step, used = [*range(len(counts))], {}, {}, 0, 0
    while waiting or running:
        if not (static and running):
            used = len(running)
        here = [request for request in waiting if arrivals[request] <= step]
        if shortest:
            here.sort(key=lambda request: counts[request])
        room = slots - used
        if static and running and not joins:
            room = 0
        if static and full and not running and len(here) < min(slots, len(waiting)):
            room = 0
        for request in here[:room]:
            waiting.remove(request)
            running[request] = counts[request] - 1 + extra
            starts[request] = step
            used += 1
        running = {request: left - 1 for request, left in running.items() if left > 1}
        step += 1
    return step, starts[len(counts) - 1]


def both(arrivals, counts, **how):
    """Return the steps of both, then when the last request begins in both."""
    static, continuous = (run(arrivals, counts, way, **how) for way in (True, False))
    return [static[0], continuous[0], static[1], continuous[1]]


def all_differ(arrivals, counts):
    """Whether all ways, right and wrong, give other numbers."""
    right = reference(arrivals, counts)
    prefill = both(arrivals, counts, extra=1)
    found = [
        right,
        prefill,
        [prefill[0] - 1, prefill[1] - 1, *prefill[2:]],
        both(arrivals, counts, joins=True),
        both(arrivals, counts, full=True),
        both(arrivals, counts, shortest=True),
        both([0] * len(counts), counts),
        both(arrivals, counts, slots=1),
        [right[1], right[0], right[3], right[2]],
        fewest(arrivals, counts),
        waits(arrivals, counts),
        [*right[:2], right[2] + 1, right[3] + 1],
        [right[0] - 1, right[1] - 1, *right[2:]],
        [right[0] + 6, right[1] + 6, *right[2:]],
        [right[0], right[0], right[2], right[2]],
        [right[1], right[1], right[3], right[3]],
    ]
    apart = len({tuple(one) for one in found}) == len(found)
    return apart and right[0] > right[1] and right[2] > right[3]


def fewest(arrivals, counts):
    """Return the right numbers, but the steps of slots that are never empty."""
    right = reference(arrivals, counts)
    return [right[0], -(-(sum(counts) - len(counts)) // SLOTS), *right[2:]]


def waits(arrivals, counts):
    """Return the right numbers, but the steps that the last request waits."""
    right = reference(arrivals, counts)
    return [*right[:2], *(first - arrivals[-1] for first in right[2:])]


def reference(arrivals, counts, **_):
    begun, end, place = 0, 0, 0
    while place < len(counts):
        begun = max(end, arrivals[place])
        batch = [
            count
            for comes, count in zip(arrivals[place:], counts[place:], strict=True)
            if comes <= begun
        ][:SLOTS]
        end, place = begun + max(batch) - 1, place + len(batch)
    free = [0] * SLOTS
    for comes, count in zip(arrivals, counts, strict=True):
        slot = int(np.argmin(free))
        start = max(free[slot], comes)
        free[slot] = start + count - 1
    return [end, max(free), begun, start]


ARRIVALS, COUNTS = [0, 2, 3, 5, 7, 8], [9, 8, 8, 6, 10, 4]

EXERCISE = Exercise(
    title="Steps by hand",
    kind="predict",
    difficulty=2,
    minutes=15,
    prompt="""
Six requests come to a server with **two slots**:

{{table}}

Steps are numbered from 0. At the beginning of a step, requests that have come take free
slots, in their order. When a request takes a slot, its prompt is read and its first
token is written at once, in a call that doesn't count as a step. Then the step writes
one token for each request that has a slot, so a request with n tokens needs its slot
for n − 1 steps. At the next step, the slot is free again.

With **continuous** batching, a free slot can be taken at each step. With **static**
batching, slots are only given out when both are free, and nobody joins later: if only
one request has come, it runs alone.

How many steps are there until all have ended, static and continuous? And in which step
does the last request, F, get its first token, static and continuous? Give these four
numbers.
""",
    starter="""
steps_and_first = ...  # steps, then F's first token: [40, 30, 35, 25]
""",
    solution="""
arrivals = {{arrivals}}
counts = {{counts}}


def steps(static):
    waiting, running, step = list(zip(arrivals, counts)), [], 0
    while waiting or running:
        room = 0 if static and running else 2 - len(running)
        while room and waiting and waiting[0][0] <= step:
            running.append(waiting.pop(0)[1] - 1)  # the first token is there
            room -= 1
            first = step
        running = [left - 1 for left in running if left > 1]
        step += 1
    return step, first


static, static_first = steps(True)
continuous, continuous_first = steps(False)
steps_and_first = [static, continuous, static_first, continuous_first]
""",
    why="""
A static batch lasts as long as its longest request, and the slot of the shorter one
writes nothing for the rest of it. Requests that come just after it has begun wait for
all of it. Continuous batching gives a slot away as soon as it is free, so here there
are fewer steps and F waits less, although the very same tokens are written.

Only the *order* of the work changes. What each request gets doesn't depend on when it
ran or what it shared steps with, as the chapter checks.
""",
    hints=(
        "Draw a line of squares for each slot, one square for each step. A request "
        "with n tokens takes n − 1 of them.",
        "Static: which requests have come when both slots are free? The batch lasts "
        "as long as the longer of them, and only then do you look again.",
        "Continuous: take the requests in their order. Each goes into the slot that is "
        "free first, but not before it comes.",
    ),
    mistakes="""
You count the prompt's call as a step of its own: a request with n tokens needs its slot
for n − 1 steps, because its first token comes with the prompt.
+ steps_and_first = both(arrivals, counts, extra=1)

Your slots stay empty for a step after each request. They can be taken at the very next
step.
+ static, continuous, *first = both(arrivals, counts, extra=1)
+ steps_and_first = [static - 1, continuous - 1, *first]

In your static batching, others join a request that began alone. They have to wait until
it has ended.
+ steps_and_first = both(arrivals, counts, joins=True)

Your static batching waits until there are two requests. It begins with one if only one
has come when both slots are free.
+ steps_and_first = both(arrivals, counts, full=True)

You took the shortest request first. The order is the one in which they come.
+ steps_and_first = both(arrivals, counts, shortest=True)

You let all requests come at step 0. None can take a slot before it comes.
+ steps_and_first = both([0] * len(counts), counts)

You ran one request after another. Two slots write at the same step.
+ steps_and_first = both(arrivals, counts, slots=1)

Static and continuous have changed places: static comes first.
+ steps_and_first = [right[1], right[0], right[3], right[2]]

Static is right, but your continuous steps are all tokens shared out over two slots. At
some steps one slot has no request.
+ steps_and_first = fewest(arrivals, counts)

The steps are right. For F, you give how long it waits; the number of the step is asked
for.
+ steps_and_first = waits(arrivals, counts)

The steps are right. F's first tokens are one step too late: steps are numbered from 0.
+ steps_and_first = [*right[:2], right[2] + 1, right[3] + 1]

Those are the numbers of the last steps. They begin at 0, so there is one step more.
+ steps_and_first = [right[0] - 1, right[1] - 1, *right[2:]]

You count the calls that read the six prompts. They don't count as steps.
+ steps_and_first = [right[0] + 6, right[1] + 6, *right[2:]]

Both are static. With continuous batching, a free slot can be taken while the other
request still runs.
+ steps_and_first = [right[0], right[0], right[2], right[2]]

Both are continuous. With static batching, slots are given out only when both are free.
+ steps_and_first = [right[1], right[1], right[3], right[3]]
""",
    reference=reference,
    values=values,
    book=in_words(ARRIVALS, COUNTS),
    equivalent={
        f"arrivals = {[*ARRIVALS[:at], comes + by, *ARRIVALS[at + 1 :]]}": (
            "It waits for a slot in any case."
        )
        for at, comes in enumerate(ARRIVALS)
        for by in (-1, 1)
        if at > 1
    }
    | {
        "arrivals = [-1, 2, 3, 5, 7, 8]": "No step is before step 0.",
        "waiting, running, step = list(zip(arrivals, counts)), [], -1": (
            "No request has come by then."
        ),
    },
)
