"""Build a search: the k nearest notes of each question."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for questions, notes, d_model, k in (
        (1, 2, 2, 1),
        (2, 5, 3, 2),
        (3, 6, 4, 3),
        (4, 7, 3, 5),
        (2, 8, 5, 8),
    ):
        sizes = draw.uniform(0.2, 6, size=(notes, 1))
        yield (
            draw.normal(size=(questions, d_model)) * draw.uniform(0.5, 3),
            draw.normal(size=(notes, d_model)) * sizes,
            k,
        )


def reference(questions, notes, k):
    norms = np.linalg.norm(notes, axis=1)
    return np.argsort(-(questions @ notes.T) / norms, axis=1)[:, :k].astype(np.int64)


EXERCISE = Exercise(
    title="The k nearest notes",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Write a search that returns, for each question, the indices of the `k` notes with the
largest **cosine**, the nearest first. The vectors are not scaled: their norm is not 1.
""",
    solution={
        "torch": '''
def search(questions, notes, k):
    """Return (questions, k), indices of notes, nearest first.

    questions (questions, d_model); notes (notes, d_model).
    """
    notes = nn.functional.normalize(notes, dim=1)
    cosines = nn.functional.normalize(questions, dim=1) @ notes.T
    return cosines.topk(k).indices
''',
        "tensorflow": '''
def search(questions, notes, k):
    """Return (questions, k), indices of notes, nearest first.

    questions (questions, d_model); notes (notes, d_model).
    """
    notes = tf.math.l2_normalize(notes, axis=1)
    questions = tf.math.l2_normalize(questions, axis=1)
    cosines = questions @ tf.transpose(notes)
    return tf.math.top_k(cosines, k).indices
''',
    },
    why="""
Scaled to norm 1, the dot product of two vectors is their cosine, so one matrix product
compares all questions with all notes. The norm of a question does not change the order
in its own row. The norm of a note does: without the scaling, a note with a large vector
would be found for too many questions.
""",
    hints=(
        "Which vectors have to be scaled to norm 1 before a dot product is a cosine?",
        "One matrix product gives (questions, notes). Which function sorts its rows?",
        "`topk` and `tf.math.top_k` return the largest values, in order, with their "
        "indices.",
    ),
    mistakes="""
You compare by the dot product, or scale all notes by the same number. Notes with large
vectors win: scale each to norm 1.
-     notes = nn.functional.normalize(notes, dim=1)

-     notes = tf.math.l2_normalize(notes, axis=1)

You return the notes that are farthest away.
- cosines.topk
+ (-cosines).topk
- top_k(cosines
+ top_k(-cosines

The k notes are right, but in the wrong order: the nearest comes first.
- .topk(k).indices
+ .topk(k).indices.flip(1)
- return tf.math.top_k(cosines, k).indices
+ return tf.reverse(tf.math.top_k(cosines, k).indices, [1])

The nearest note is left out. No note is compared with itself here.
@torch
- .topk(k).indices
+ .argsort(dim=1, descending=True)[:, 1 : k + 1]
@tensorflow
- tf.math.top_k(cosines, k).indices
+ tf.argsort(cosines, direction="DESCENDING")[:, 1 : k + 1]

You return the cosines. The indices of the notes are wanted.
@torch
- .indices
+ .values
@tensorflow
- .indices
+ .values

You scale each dimension, over all notes and over all questions. Scale each vector.
- dim=1
+ dim=0
@tensorflow
- notes = tf.math.l2_normalize(notes, axis=1)
+ notes = tf.math.l2_normalize(notes, axis=0)
+     questions = tf.math.l2_normalize(questions, axis=0)

You return only the nearest note. The k nearest are wanted.
- topk(k)
+ topk(1)
- top_k(cosines, k)
+ top_k(cosines, 1)

You scale each dimension over all notes. Scale each note.
- normalize(notes, dim=1)
+ normalize(notes, dim=0)
- l2_normalize(notes, axis=1)
+ l2_normalize(notes, axis=0)

You compare by the distance of the vectors as they are. A cosine compares directions.
-     cosines = nn.functional.normalize(questions, dim=1) @ notes.T
+     cosines = -torch.cdist(questions, given)
-     notes = nn.functional.normalize(notes, dim=1)
+     given = notes
-     questions = tf.math.l2_normalize(questions, axis=1)
-     cosines = questions @ tf.transpose(notes)
+     cosines = -tf.norm(questions[:, None] - given, axis=2)
-     notes = tf.math.l2_normalize(notes, axis=1)
+     given = notes

You divide by the square of the norm.
- notes = nn.functional.normalize(notes, dim=1)
+ notes = notes / (notes**2).sum(dim=1, keepdim=True)
- notes = tf.math.l2_normalize(notes, axis=1)
+ notes = notes / tf.reduce_sum(notes**2, 1, keepdims=True)

You divide by the sum of the absolute values. A norm is the root of the sum of the
squares.
- notes = nn.functional.normalize(notes, dim=1)
+ notes = notes / notes.abs().sum(dim=1, keepdim=True)
- notes = tf.math.l2_normalize(notes, axis=1)
+ notes = notes / tf.reduce_sum(tf.abs(notes), 1, keepdims=True)

You ignore the sign of the cosine. A cosine of −1 is the opposite direction.
- cosines.topk
+ cosines.abs().topk
- top_k(cosines
+ top_k(tf.abs(cosines)

The indices count from 1. The first note is note 0.
- .topk(k).indices
+ .topk(k).indices + 1
- tf.math.top_k(cosines, k).indices
+ tf.math.top_k(cosines, k).indices + 1

The k nearest are sorted by their index. Sort them by their cosine.
@torch
- .topk(k).indices
+ .topk(k).indices.sort(dim=1).values
@tensorflow
- return tf.math.top_k(cosines, k).indices
+ return tf.sort(tf.math.top_k(cosines, k).indices, axis=1)

You return one note for each question. The k nearest are wanted.
- .topk(k).indices
+ .argmax(dim=1)
- tf.math.top_k(cosines, k).indices
+ tf.argmax(cosines, axis=1)

The result is transposed: a column for each question. Return a row for each.
@torch
- .topk(k).indices
+ .topk(k).indices.T
@tensorflow
- return tf.math.top_k(cosines, k).indices
+ return tf.transpose(tf.math.top_k(cosines, k).indices)

You return the rank of each note. The indices of the nearest are wanted.
@torch
- cosines.topk(k).indices
+ (-cosines).argsort(dim=1).argsort(dim=1)[:, :k]
@tensorflow
- tf.math.top_k(cosines, k).indices
+ tf.argsort(tf.argsort(-cosines))[:, :k]

You rank the questions for each note. Rank the notes for each question.
@torch
- cosines.topk(k).indices
+ cosines.T.argsort(dim=1, descending=True)[:, :k]
@tensorflow
- tf.math.top_k(cosines, k).indices
+ tf.argsort(-tf.transpose(cosines))[:, :k]

You divide each note by the sum of its numbers. A norm is the root of the sum of the
squares.
- notes = nn.functional.normalize(notes, dim=1)
+ notes = notes / notes.sum(dim=1, keepdim=True)
- notes = tf.math.l2_normalize(notes, axis=1)
+ notes = notes / tf.reduce_sum(notes, 1, keepdims=True)

You return the cosines as well. Only the indices of the notes are wanted.
@torch
- .topk(k).indices
+ .topk(k)
@tensorflow
- tf.math.top_k(cosines, k).indices
+ tf.math.top_k(cosines, k)

You return all notes, the nearest first. Only k are wanted.
- .topk(k).indices
+ .argsort(dim=1, descending=True)
- return tf.math.top_k(cosines, k).indices
+ return tf.argsort(-cosines, axis=1)

You take the k nearest questions of each note. For each question, the k nearest notes
are wanted.
@torch
- .topk(k).indices
+ .topk(k, dim=0).indices

The norms have lost their axis, so they do not divide each row by its own. Keep it: look
for `keepdim` in PyTorch, `keepdims` in TensorFlow.
@torch
-     notes = nn.functional.normalize(notes, dim=1)
-     cosines = nn.functional.normalize(questions, dim=1) @ notes.T
+     questions = questions / questions.norm(dim=1)
+     notes = notes / notes.norm(dim=1)
+     cosines = questions @ notes.T
@tensorflow
-     notes = tf.math.l2_normalize(notes, axis=1)
-     questions = tf.math.l2_normalize(questions, axis=1)
+     questions = questions / tf.norm(questions, axis=1)
+     notes = notes / tf.norm(notes, axis=1)
""",
    reference=reference,
    cases=cases,
)
