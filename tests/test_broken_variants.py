"""Every mistake that others made is in the list, and is made in our code too.

The list is `broken`. That a test of ours catches each is tested beside this file, in
`test_broken_attention.py` and so on.
"""

import scratch.torch.attention as module

from broken import CANNOT, MISTAKES
from broken.catching import FRAMEWORKS
from broken.edit import broken, functions_of
from helpers.frameworks import TORCH


def test_every_mistake_is_made_in_both_frameworks_or_cannot_be():
    for framework in FRAMEWORKS:
        made = {m.number for m in MISTAKES if str(framework) in m.texts}
        cannot = {number for number, name in CANNOT if name == str(framework)}
        assert not made & cannot
        assert sorted(made | cannot) == list(range(1, 36))
    assert all(reason for reason in CANNOT.values())


def test_after_a_mistake_the_code_is_what_it_was(tmp_path):
    mistake = MISTAKES[0]

    def codes():
        return {name: f.__code__ for name, f in functions_of(module).items()}

    before = codes()
    with broken(mistake, TORCH, tmp_path):
        assert codes() != before
    assert codes() == before
