"""Judge programs of which one token was changed: which are still found right?"""

import warnings

from exercises.engine.judge import RIGHT, judge
from exercises.engine.programs import run_program
from exercises.worker import (
    LocalAnswer,
    TookTooLongError,
    time_limit,
    undisturbed,
)
from helpers.exercise_answers import SEEDS
from helpers.mutations import mutants

MOST = 40
# In TensorFlow, which is slower: the questions that must tell a change are the same in
# both frameworks. And a value is compared without a framework.
FEW = {"function": 8, "class": 8, "value": 1}
SECONDS = 1


def survives(exercise, program, framework, seconds=SECONDS, seeds=SEEDS):
    """Whether the largest question, and then every seed, finds the program right."""
    warnings.simplefilter("ignore")
    try:
        with undisturbed(), time_limit(seconds):
            answer = run_program(program, exercise.name, framework)
    except (Exception, TookTooLongError):
        return False
    answer = LocalAnswer(answer, seconds)

    def right(seed, **how):
        how |= {"framework": framework, "name_mistakes": False}
        return judge(exercise, answer, seed, **how).outcome == RIGHT

    return right(SEEDS[0], largest_only=True) and all(map(right, seeds))


def must_notice_every_change(exercise, framework, name):
    """Each change must be found wrong, or be in the exercise's `equivalent`."""
    solution = exercise.solution_in(framework)
    # The first program of a framework imports it.
    assert survives(exercise, solution, framework, seconds=120, seeds=())
    most = FEW[exercise.kind_of_answer] if framework == "tensorflow" else MOST
    changed = mutants(solution, most, seed=name)
    # A change that is explained may survive. It is not judged: what survives is asked
    # every question, and so takes longest.
    unexplained = [
        line
        for line, program in changed
        if line not in exercise.equivalent and survives(exercise, program, framework)
    ]
    assert changed, "no change of the solution was tried"
    assert not unexplained, "changes that no check notices:\n" + "\n".join(unexplained)
