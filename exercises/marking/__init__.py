"""The teacher's side: release notebooks, mark what comes back, report.

A student's code runs in a worker (`exercises/worker`) under bubblewrap and never in the
process that judges it. The worker is forked in a sandbox (`sandbox`, `namespaces`,
`system_calls`) from a process that has imported what the notebook needs; it is asked
over a pipe (`remote`), and knows neither references nor seed. `submissions`
reads what was handed in, `mark` marks one submission, `journal` keeps what is done,
`grade` marks a folder, `feedback` and `report` show the results, `gradebook` hands them
back to Moodle or Canvas, `release` makes the notebooks that a class gets, `names` and
`identity` tell students and releases apart, `points` is the file that says what
they are worth, and `tables` reads what spreadsheets have saved.
"""
