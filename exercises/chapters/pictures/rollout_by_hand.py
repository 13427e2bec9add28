"""Predict the attention rollout of two layers."""

from exercises.engine.exercise import Exercise

import numpy as np

NAMES = "[CLS]", "patch 1", "patch 2"


def values(draw):
    """Draw maps in tenths, so that what a reader may take for rollout differs."""
    while True:
        first, second = (
            [(1 + draw.multinomial(7, draw.dirichlet([1] * 3))) / 10 for _ in NAMES]
            for _ in range(2)
        )
        found = task(np.array(first).tolist(), np.array(second).tolist())
        if is_clear(found["first"], found["second"]):
            return found


def task(first, second):
    return {
        "first_table": table(first),
        "second_table": table(second),
        "first": first,
        "second": second,
    }


def table(rows):
    lines = ["| reads | " + " | ".join(NAMES) + " |", "|---" * 4 + "|"]
    for name, row in zip(NAMES, rows, strict=True):
        lines.append(f"| {name} | " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines)


def mixed(layer):
    """Return half of a map and half of the identity."""
    return (np.array(layer) + np.eye(3)) / 2


def reference(first, second, **_):
    # a path stays where it is or goes along an arrow, with one half each
    reached = [0.0, 0.0, 0.0]
    for middle in range(3):
        to_middle = second[0][middle] / 2 + (middle == 0) / 2
        for end in range(3):
            from_middle = first[middle][end] / 2 + (middle == end) / 2
            reached[end] += to_middle * from_middle
    return reached


def mistaken(first, second):
    """Return what a reader may take for [CLS]'s rollout, each (3,)."""
    a, b = np.array(first), np.array(second)
    m, n, one = mixed(a), mixed(b), np.eye(3)
    return {
        "no identity": (b @ a)[0],
        "wrong order": (m @ n)[0],
        "mean": ((m + n) / 2)[0],
        "mean of maps": ((a + b) / 2)[0],
        "last": b[0],
        "last, mixed": n[0],
        "column": (n @ m)[:, 0],
        "not halved": ((b + one) @ (a + one))[0],
        "place by place": (m * n)[0],
        "only the last": (n @ a)[0],
        "only the first": (b @ m)[0],
        "at the end": mixed(b @ a)[0],
        "turned": (n.T @ m.T)[0],
    }


def is_clear(first, second):
    found = np.array([reference(first, second), *mistaken(first, second).values()])
    far = np.abs(found[:, None] - found).max(-1) + np.eye(len(found))
    return far.min() > 0.004


def unread_changes(layer):
    """Return the map with each number doubled that stands below the row of [CLS]."""
    for row, column in np.ndindex(2, 3):
        changed = [list(one) for one in layer]
        changed[row + 1][column] *= 2
        yield changed


FIRST = [[0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.2, 0.4]]
SECOND = [[0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.3, 0.6, 0.1]]

EXERCISE = Exercise(
    title="Rollout by hand",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
A Vision Transformer has two layers and reads [CLS] and two patches. These are its
attention maps for a picture, averaged over the heads. Each row says how much the place
at its left reads from each place. The first layer:

{{first_table}}

The second layer:

{{second_table}}

What is the attention rollout of [CLS] after both layers, with the residual's half of
the identity in each layer? Give three numbers, how much of [CLS], of patch 1 and of
patch 2 reaches [CLS], to three decimals.
""",
    starter="""
reached = ...  # such as [0.5, 0.25, 0.25]
""",
    solution="""
first = np.array({{first}})
second = np.array({{second}})
residual = np.eye(3)
first = 0.5 * first + 0.5 * residual
second = 0.5 * second + 0.5 * residual
reached = (second @ first)[0].tolist()
""",
    why=r"""
The second layer is nearer to the output, so it stands on the left: [CLS] reads places
of the layer below, and each of these has read places of the input. With column vectors,
that is $\tilde A_2 \tilde A_1$, where $\tilde A = \frac12 A + \frac12 I$. The rows of
both sum to 1, so the rollout of [CLS] does as well, and that is a check.

Half of the identity is an assumption. How much of a vector really comes through the
residual depends on the lengths of the two summands, which no attention map shows.
Rollout leaves out the values and the feed-forward as well, so it is an estimate. In the
chapter it was better than the last layer's map with one stand-in for hidden patches,
and no better with the other.
""",
    hints=(
        "First mix each map with the identity: half of each number, plus one half on "
        "the diagonal.",
        "Which layer does [CLS] read from last? Its row tells from which places. Where "
        "have those got it from?",
        "[CLS]'s row of the second mixed map, times the first mixed map: multiply each "
        "of its three numbers by the row of that place, and add the rows.",
    ),
    mistakes="""
You forgot the identity: half of what a place gets comes through the residual.
+ reached = mistaken(first, second)["no identity"].tolist()

Your product is in the wrong order. [CLS] reads last in the second layer, so that is the
map on the left.
+ reached = mistaken(first, second)["wrong order"].tolist()

You averaged the two layers. One reads what the other has read: multiply them.
+ reached = mistaken(first, second)["mean"].tolist()

You averaged the two maps. Mix each with the identity, then multiply them.
+ reached = mistaken(first, second)["mean of maps"].tolist()

That is the second layer's map alone. What [CLS] reads there has been mixed by the first
layer.
+ reached = mistaken(first, second)["last"].tolist()

That is the second layer alone, mixed with the identity. The first layer is missing.
+ reached = mistaken(first, second)["last, mixed"].tolist()

You took the first column: how much of [CLS] reaches each place. [CLS] reads along its
row.
+ reached = mistaken(first, second)["column"].tolist()

You added the whole identity, and your numbers sum to 4. Take half of the map and half
of the identity.
+ reached = mistaken(first, second)["not halved"].tolist()

You multiplied the two maps number by number. A matrix product is wanted, which goes
through all places between.
+ reached = mistaken(first, second)["place by place"].tolist()

You mixed the second map alone with the identity. The first layer has a residual, too.
+ reached = mistaken(first, second)["only the last"].tolist()

You mixed the first map alone with the identity. The second layer has a residual, too.
+ reached = mistaken(first, second)["only the first"].tolist()

You multiplied the maps and mixed the product with the identity. Mix each layer: some
paths go through one of them and around the other.
+ reached = mistaken(first, second)["at the end"].tolist()

You read the maps by columns. Each row says what the place at its left reads.
+ reached = mistaken(first, second)["turned"].tolist()

You left out [CLS] itself. Three numbers are wanted, and they sum to 1.
+ reached = right[1:]
""",
    reference=reference,
    values=values,
    book=task(FIRST, SECOND),
    tolerance=0.0006,
    equivalent={
        f"second = np.array({changed})": "Only the row of [CLS] is read."
        for changed in unread_changes(SECOND)
    },
)
