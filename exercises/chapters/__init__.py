'''The exercises: a folder for each chapter, a file for each exercise.

`exercises/chapters/attention/causal_mask.py` is known as "attention.causal_mask", so a
file is named after what its exercise is about. The chapter's `__init__.py` lists its
exercises in order, each with the section to read again; the first is easy and takes at
most five minutes. A file holds the questions, the right answers in NumPy and one
`Exercise`, which reads like a page of the book:

    def cases(draw):
        for length in (1, *draw.integers(2, 6, size=2)):
            yield int(length)

    def reference(length):
        return np.tri(length, dtype=bool)

    EXERCISE = Exercise(
        title="Mask the future",
        kind="build",
        difficulty=2,
        minutes=10,
        prompt="""
    Write `causal_mask`. A position may attend to itself and to what came before.
    """,
        solution={
            "torch": \'\'\'
    def causal_mask(length):
        """Return (length, length), True = attend."""
        at = torch.arange(length)
        return at <= at[:, None]
    \'\'\',
            "tensorflow": ...,
        },
        why="One comparison of a column with a row gives the whole mask.",
        hints=("Number the positions.", "Compare a column of numbers with a row."),
        mistakes="""
    Your mask shows the future instead of the past.
    - at <= at
    + at >= at

    Your mask has one fixed size.
    - torch.arange(length)
    + torch.arange(64)
    - tf.range(length)
    + tf.range(64)
    """,
        reference=reference,
        cases=cases,
    )

- `title`, `prompt`, `hints` and `why` are said once for both frameworks. With a
  backslash in it, a text is a raw string: `r"""…"""`.
- `solution` is one program for plain Python, otherwise one for each framework. Both use
  the same names; in the reader's TensorFlow cell the answer is renamed (`causal_mask`
  to `tf_causal_mask`).
- The starter is the solution's function without its body. For "find the bug", `bug` is
  the beginning of a sentence in `mistakes`, and the starter makes that mistake. Any
  other starter is written out in `starter`; a value always has one.
- `mistakes` are wrong answers: the sentence that a reader is told, then what it changes
  in the solution. `readymade/mistake_language.py` has the rules. When an answer fails,
  the judge runs the mistakes on the same inputs, and the first that gives the same
  wrong outputs is the reader's.
- `cases(draw)` yields inputs as NumPy arrays, drawn from the generator `draw`, and
  `reference` returns the right output of one, written independently of the solution.
  `long_cases(draw)` are so long that a size which is fixed in the answer shows.
- `checks` are properties: functions `check(ask, draw)` that put questions to the answer
  and return a sentence with a number from its replies, or None. Where many outputs are
  right (`free=True`), they judge alone, so their sentences name the mistakes.
- `values(draw)` draws what the seed of a class changes in the words, written {{name}}.
  Fifty draws or more are different tasks, and no mistake is right in any of them. The
  book prints the first draw, or what `book` holds; no class gets that one.

`exercises/engine/exercise.py` describes every field.
'''
