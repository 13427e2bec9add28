"""Build the mask of a chat with several turns: True at what the assistant writes."""

from exercises.engine.exercise import Exercise

import numpy as np

USER, ASSISTANT, END = 2, 3, 4


def cases(draw):
    yield np.array([[2, 7, 4, 3, 8, 9, 4, 0, 0]])
    yield np.array([[2, 7, 4, 3, 9, 4, 2, 6, 4, 0, 0]])  # the last turn is the user's
    for rows, turns, longest in ((1, 2, 3), (2, 1, 4), (3, 3, 2), (4, 2, 5)):
        chats = [
            chat(draw, int(draw.integers(1, turns + 1)), longest) for _ in range(rows)
        ]
        chats[0] = chat(draw, turns, longest)
        length = max(map(len, chats)) + 2
        yield np.array([row + [0] * (length - len(row)) for row in chats])


def chat(draw, turns, longest):
    ids = []
    for _ in range(turns):
        asked, answer = (
            draw.integers(5, 30, size=draw.integers(1, longest + 1)).tolist()
            for _ in range(2)
        )
        ids += [USER, *asked, END, ASSISTANT, *answer, END]
    return ids


def reference(ids):
    mask = np.zeros(ids.shape, dtype=bool)
    for row, chat in enumerate(ids):
        speaking = False
        for place, token in enumerate(chat):
            mask[row, place] = speaking
            if token == ASSISTANT:
                speaking = True
            elif token == END:
                speaking = False
    return mask


EXERCISE = Exercise(
    title="A chat with several turns",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
In a longer chat, user and assistant take turns, the user first. Every turn begins with
`<|user|>` (id 2) or `<|assistant|>` (3) and ends with `<|end|>` (4); padding (0)
follows the last turn, which may be the user's. Build the mask of the tokens that the
assistant writes: the words of **all** its turns, each with its `<|end|>`, and nothing
else. A loop over the positions is fine, but a running sum does without one.
""",
    solution={
        "torch": '''
def answer_mask(ids):
    """Return booleans (batch, length).

    ids (batch, length), integers.
    """
    assistant, end = (ids == 3).int(), (ids == 4).int()
    # how many before each position
    begun = torch.cumsum(assistant, dim=1) - assistant
    ended = torch.cumsum(end, dim=1) - end
    return ended == 2 * begun - 1
''',
        "tensorflow": '''
def answer_mask(ids):
    """Return booleans (batch, length).

    ids (batch, length), integers.
    """
    assistant = tf.cast(ids == 3, tf.int32)
    end = tf.cast(ids == 4, tf.int32)
    # how many before each position
    begun = tf.cumsum(assistant, axis=1) - assistant
    ended = tf.cumsum(end, axis=1) - end
    return ended == 2 * begun - 1
''',
    },
    why="""
In the assistant's second answer, for example, two of its turns have begun, and three
turns have ended: two questions and one answer. After the answer it is four, which keeps
the padding and the next question out. What is counted is what comes *before* a
position, so that `<|assistant|>` stays out of the answer and `<|end|>` in it. Libraries
get the same mask from the template (`return_assistant_tokens_mask` in `transformers`),
where a mistake is as silent as here.
""",
    hints=(
        "Count, for each position, how many turns of the assistant have begun before "
        "it, and how many turns have ended. `cumsum` counts.",
        "Write both counts below a chat of four turns. What do they have in common at "
        "the words of both answers, and nowhere else?",
        "In answer number n, n turns of the assistant have begun, and 2n − 1 turns "
        "have ended.",
    ),
    mistakes="""
`<|end|>` is missing at the end of the answers. The assistant writes it, and learns to
stop by it.
- dim=1) - end
+ dim=1)
- axis=1) - end
+ axis=1)

`<|assistant|>` is in your mask. It is given to the model.
- dim=1) - assistant
+ dim=1)
- axis=1) - assistant
+ axis=1)

Your mask marks the user's turns, and the padding.
- 2 * begun - 1
+ 2 * begun

Your mask says the opposite: True is what the assistant writes.
- return ended ==
+ return ended !=

You count all ends alike. Padding, or `<|assistant|>` itself, is in your mask, or the
mask takes a question at the end for an answered one.
- return ended == 2 * begun - 1
+ return (ended % 2 == 1) & (ids != 3)

Only the first answer is in your mask. All turns of the assistant count.
- return ended == 2 * begun - 1
+ return (ended == 2 * begun - 1) & (begun == 1)

From the first answer on, everything is in your mask.
- return ended == 2 * begun - 1
+ return begun > 0

Your mask is one place early: True belongs at the tokens themselves, not where they are
predicted.
@torch
-     return ended == 2 * begun - 1
+     mask = ended == 2 * begun - 1
+     return torch.cat([mask[:, 1:], mask[:, :1]], dim=1)
@tensorflow
-     return ended == 2 * begun - 1
+     mask = ended == 2 * begun - 1
+     return tf.concat([mask[:, 1:], mask[:, :1]], axis=1)
""",
    reference=reference,
    cases=cases,
    equivalent={
        "begun = torch.cumsum(assistant, dim=1) + assistant": "It differs there alone.",
        "begun = tf.cumsum(assistant, axis=1) + assistant": "It differs there alone.",
    },
)
