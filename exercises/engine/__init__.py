"""Show an exercise, judge an answer.

`exercise` defines an exercise, `diffs` its mistakes, `calls` the questions that are put
to an answer, and `registry` finds all exercises; `programs` runs code that is text;
`judge` decides, and never touches the reader's code itself; `comparing` finds where two
outputs differ; `reader` holds `check`, `hint` and `solution`, and `sealing` what locks
the last; `cells` and `notebooks` put an exercise into a notebook; `files` writes a file
whole or not at all; `listing` makes a table of all; `minilm` is the bundled MiniLM in
NumPy, the reference of exercises on a real model.
"""
