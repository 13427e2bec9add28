"""The teacher's side: release notebooks, mark what comes back, report.

    release, points, release_identity    the notebooks that a class gets, what they are
                        worth, and how a notebook is told from another release's
    grade, mark, results_journal         mark a folder, one submission; keep the results
    submissions, handed_in_files, notebook_bytes, cells_to_run
                        find each student's notebook, and which cells to run
    roster, name_matching                the class, and whose a file is by its name
    worker_client, sandbox, sandbox_user, system_calls
                        run a student's code in a worker (`exercises/worker`)
    feedback, report, gradebook          show the results; return them to Moodle, Canvas
    csv_files, github   read what spreadsheets save; the addresses of the book

A student's code never runs in the process that judges it. bubblewrap's sandbox holds a
server, which has imported what notebooks need and forks a worker for each. The worker
answers questions over a pipe, and knows neither references nor seed.
"""
