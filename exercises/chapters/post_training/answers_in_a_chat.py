"""Build the mask of a chat with several turns: True at what the assistant writes."""

from exercises.engine.exercise import Exercise

import numpy as np

USER, ASSISTANT, END = 2, 3, 4


def cases(draw):
    yield np.array([[2, 7, 4, 3, 8, 9, 4, 0, 0]])
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
In a longer chat, user and assistant take turns. Every turn begins with `<|user|>` (id
2) or `<|assistant|>` (3) and ends with `<|end|>` (4); padding (0) follows the last.
Build the mask of the tokens that the assistant writes: the words of **all** its turns,
each with its `<|end|>`, and nothing else. A loop over the positions is fine, but a
running sum does without one.
""",
    solution={
        "torch": '''
def answer_mask(ids):
    """Return booleans (batch, length).

    ids (batch, length), integers.
    """
    begun = torch.cumsum(ids == 3, dim=1)  # turns so far
    asked = torch.cumsum(ids == 2, dim=1)
    ended = torch.cumsum(ids == 4, dim=1)
    before = ended - (ids == 4).long()
    speaking = begun + asked > before  # within a turn
    return speaking & (begun == asked) & (ids != 3)
''',
        "tensorflow": '''
def answer_mask(ids):
    """Return booleans (batch, length).

    ids (batch, length), integers.
    """
    begun = tf.cumsum(tf.cast(ids == 3, tf.int32), axis=1)
    asked = tf.cumsum(tf.cast(ids == 2, tf.int32), axis=1)
    end = tf.cast(ids == 4, tf.int32)
    before = tf.cumsum(end, axis=1) - end
    speaking = begun + asked > before  # within a turn
    return speaking & (begun == asked) & (ids != 3)
''',
    },
    why="""
A position lies within a turn if more turns have begun than have ended before it, and
the turn is the assistant's if as many of its turns as of the user's have begun.
Counting the ends *before* a position keeps `<|end|>` itself in the turn, and the
padding out. Libraries get the same mask from the template
(`return_assistant_tokens_mask` in `transformers`), where a mistake is as silent as
here.
""",
    hints=(
        "How many turns of the user, how many of the assistant have begun up to a "
        "position? `cumsum` counts them.",
        "Within an answer, the two counts are equal, and one more turn has begun than "
        "has ended before this position.",
        "At `<|assistant|>` itself both are true as well. Take it out.",
    ),
    mistakes="""
`<|end|>` is missing at the end of the answers. The assistant writes it, and learns to
stop by it.
- (ids != 3)
+ (ids != 3) & (ids != 4)

`<|assistant|>` is in your mask. It is given to the model.
- & (ids != 3)
+ & (ids > 0)

Padding after the chat is in your mask.
- speaking & (begun == asked) & (ids != 3)
+ (begun == asked) & (ids != 3)

Your mask marks the user's turns.
- (begun == asked) & (ids != 3)
+ (begun != asked) & (ids != 2)

Your mask marks both speakers.
- speaking & (begun == asked) & (ids != 3)
+ speaking & (ids != 3) & (ids != 2)

Only the first answer is in your mask. All turns of the assistant count.
- (begun == asked)
+ (begun == asked) & (begun == 1)

The user's `<|end|>` is in your mask, too. That one was given.
- speaking & (begun == asked) & (ids != 3)
+ speaking & (begun == asked) & (ids != 3) | (ids == 4)

Your mask says the opposite: True is what the assistant writes.
@torch
-     return speaking & (begun == asked) & (ids != 3)
+     return ~(speaking & (begun == asked) & (ids != 3))
@tensorflow
-     return speaking & (begun == asked) & (ids != 3)
+     return ~(speaking & (begun == asked) & (ids != 3))

Your mask is one place early: True belongs at the tokens themselves, not where they are
predicted.
@torch
-     return speaking & (begun == asked) & (ids != 3)
+     mask = speaking & (begun == asked) & (ids != 3)
+     return torch.cat([mask[:, 1:], mask[:, :1]], dim=1)
@tensorflow
-     return speaking & (begun == asked) & (ids != 3)
+     mask = speaking & (begun == asked) & (ids != 3)
+     return tf.concat([mask[:, 1:], mask[:, :1]], axis=1)
""",
    reference=reference,
    cases=cases,
)
