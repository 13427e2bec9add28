"""Exercises that name the mistake.

A reader needs three functions, and finds them in `scratch`:

    from scratch import check, hint, solution
    check("attention.causal_mask", causal_mask)

`check` says in one sentence the first thing that is wrong with an answer, `hint` gives
one hint at a time, `solution` shows a solution and why it is one. A teacher needs one
command: `python -m scratch.exercises --help`.

Writing an exercise
-------------------
One file is one exercise: `scratch/exercises/attention/causal_mask.py` is known as
"attention.causal_mask". The chapter's `__init__.py` lists its exercises in their order.
The file holds one `Exercise` (see `exercise.py` for every field):

- words: `title`, `prompt`, `hints`, `why`, said once for both frameworks;
- code as text: `starter` and `solution`, one text where both frameworks share it, else
  a dictionary `{"torch": …, "tensorflow": …}`. Both use the same names; in the reader's
  TensorFlow cell the answer is renamed (`causal_mask` to `tf_causal_mask`). A value
  has one starter and one name;
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

The modules: `exercise` (what an exercise is), `registry` (which there are), `answers`
(calls the reader's code and brings back NumPy), `programs` (runs code that is text),
`judge` (decides, and never touches the reader's code), `comparing` (finds where two
outputs differ), `reader` (`check`, `hint`, `solution`), `cells` and `notebooks` (how an
exercise stands in a notebook), `listing` (all in a table), `real_model` (the bundled
MiniLM in NumPy), `grading` (the teacher's side).
"""

from scratch.exercises.exercise import Call, Exercise, Mistake, call

__all__ = ["Call", "Exercise", "Mistake", "call"]
