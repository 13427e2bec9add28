"""Figures that answer: the reader edits, slides and steps, and the numbers follow.

Each figure is a page of plain JavaScript in a frame, with a still picture under it, so
it works offline, in the built book, in JupyterLab and in Colab. `NAME.py` collects the
numbers that a figure starts from, and `NAME.js` beside it draws them. All figures share
`page.js` and `page.css`, some `controls.js` and `plot.js`. Importing this package loads
neither framework.
"""

from readymade.views.interactive.choices import next_token
from readymade.views.interactive.forming import attention_in_training
from readymade.views.interactive.hinges import hinge_units
from readymade.views.interactive.merges import merge_steps
from readymade.views.interactive.norms import norm_sheet
from readymade.views.interactive.patched import patched_heads
from readymade.views.interactive.reader import picture_reader
from readymade.views.interactive.rotary import rotary_angles
from readymade.views.interactive.sheet import attention_sheet
from readymade.views.interactive.slots import slot_board
from readymade.views.interactive.stages import stage_answers
from readymade.views.interactive.switches import head_switches
from readymade.views.interactive.training import query_in_training
from readymade.views.interactive.tree import beam_tree
from readymade.views.interactive.waves import position_waves

__all__ = """
    attention_in_training attention_sheet beam_tree head_switches hinge_units
    merge_steps next_token norm_sheet patched_heads picture_reader position_waves
    query_in_training rotary_angles slot_board stage_answers
""".split()
