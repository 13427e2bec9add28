"""The exercises: a folder for each chapter, a file for each exercise.

`exercises/chapters/attention/causal_mask.py` is known as "attention.causal_mask". The
chapter's `__init__.py` lists its exercises in their order. The file holds one
`Exercise` (see `exercises/engine/exercise.py` for every field):

- words: `title`, `prompt`, `hints`, `why`, said once for both frameworks;
- code as text: `starter` and `solution`, one text where both frameworks share it,
  otherwise a dictionary `{"torch": …, "tensorflow": …}`. Both use the same names; in
  the reader's TensorFlow cell the answer is renamed (`causal_mask` to
  `tf_causal_mask`). A value has one starter and one name;
- `cases(draw)`: inputs, as NumPy arrays, drawn from the generator `draw`. The judge
  starts with the smallest;
- `long_cases(draw)`: more of them, so long that a size which is fixed in the answer
  shows; asked when all else is right;
- `reference(…)`: the right output of a case, in NumPy, written independently of the
  solutions;
- `checks`: properties. Each puts questions to the answer and returns a sentence with a
  number from its replies, or None. A function `check(ask, draw)`;
- `mistakes`: wrong answers, each an edit of the solution and the sentence that names
  it. When an answer fails, the judge runs the mistakes on the same inputs; the one that
  gives the same wrong outputs is the reader's, and its sentence is added.
"""
