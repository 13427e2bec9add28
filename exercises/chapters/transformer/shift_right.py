"""Build the shift between what the decoder reads and what it predicts."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length in ((1, 1), (1, 3), (2, 4), (3, 2), (2, 6)):
        yield draw.integers(3, 30, size=(batch, length)), int(draw.integers(30, 99))


def reference(ids, bos_id):
    first = np.full_like(ids[:, :1], bos_id)
    return np.concatenate([first, ids[:, :-1]], axis=1)


def the_answer_stays_hidden(ask, draw):
    ids = draw.permutation(np.arange(3, 9))[None]
    read = ask(ids, 1)
    if read.shape == ids.shape:
        seen = np.flatnonzero(read[0] == ids[0])
        if len(seen):
            return (
                f"At position {seen[0]} the decoder reads token {read[0, seen[0]]}, "
                "which is the one it has to predict there."
            )
    return None


EXERCISE = Exercise(
    title="One step to the right",
    kind="build",
    difficulty=1,
    minutes=10,
    prompt="""
While it learns, the decoder sees the right answer, but never the token that it is about
to predict. Write `shift_right`: a row begins with `bos_id`, then come all tokens of the
row but the last. The shape stays as it is, and so does `ids` itself.
""",
    solution={
        "torch": '''
def shift_right(ids, bos_id):
    """Return what the decoder reads: (batch, length).

    ids (batch, length): what it has to predict.
    """
    first = torch.full_like(ids[:, :1], bos_id)
    return torch.cat([first, ids[:, :-1]], dim=1)
''',
        "tensorflow": '''
def shift_right(ids, bos_id):
    """Return what the decoder reads: (batch, length).

    ids (batch, length): what it has to predict.
    """
    first = tf.fill(tf.shape(ids[:, :1]), bos_id)
    return tf.concat([first, ids[:, :-1]], axis=1)
''',
    },
    why="""
At position 0 nothing has been written yet, so the decoder reads the beginning token and
predicts token 0. At position $t$ it reads token $t - 1$. Without the shift it could
read off every answer: the loss falls to nothing, and the model has learned to copy.
""",
    hints=(
        "What may the decoder have read when it predicts token 0?",
        "Which token is never read, because nothing is left to predict after it?",
        "Put a column of `bos_id` before `ids[:, :-1]`.",
    ),
    mistakes="""
There is no shift: every position reads its own answer.
- return torch.cat([first, ids[:, :-1]], dim=1)
+ return torch.where(ids < 0, first, ids)
- return tf.concat([first, ids[:, :-1]], axis=1)
+ return tf.where(ids < 0, first, ids)

The row is shifted twice: the decoder never reads the token just before.
- return torch.cat([first, ids[:, :-1]], dim=1)
+ return torch.cat([first, first, ids], dim=1)[:, : ids.shape[1]]
- return tf.concat([first, ids[:, :-1]], axis=1)
+ return tf.concat([first, first, ids], axis=1)[:, : ids.shape[1]]

The row is shifted to the left: the decoder reads the future.
- [first, ids[:, :-1]]
+ [ids[:, 1:], first]

The first token is replaced, and no token has moved.
- [first, ids[:, :-1]]
+ [first, ids[:, 1:]]

The row is rolled: its last token came back at the front. What begins a row?
- [first, ids[:, :-1]]
+ [ids[:, -1:], ids[:, :-1]]

The rows are one token too long. Which token does nobody read?
- ids[:, :-1]
+ ids
""",
    reference=reference,
    cases=cases,
    checks=(the_answer_stays_hidden,),
)
