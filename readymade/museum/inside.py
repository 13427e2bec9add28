"""Looking inside: mistakes 44 and 45, in what reads and changes layers in chapter 18.

Others are outside this code, in what is done with it: a patch after the norm, where the
residual still has the old vector; a mean, in place of a head, over texts in which what
the head tells apart does not vary; a probe tested on the rows that it was fitted on.
The chapter's exercises name the last two.
"""

from readymade.museum.exhibits import exhibits

INSIDE = [
    *exhibits(
        "inside",
        """
44: a patch: the output changed in place of the input, where heads are apart
- if inputs:
+ if False:

44: a recording: the output in place of the input
- edited(part, keep, inputs)
+ edited(part, keep)

45: a patch overwrites what was recorded
@torch
- change(x.clone())
+ change(x)

45: a patch stays after its block
- del part.forward  # the class's own is back
+ pass
- del part.call  # the class's own is back
+ pass

45: a patch within another ends both
- del part.forward  # the class's own is back
+ vars(part).pop("forward", None)
- del part.call  # the class's own is back
+ vars(part).pop("call", None)
- if before is not None:
+ if False:

45: a patch stays if its block ends with an error
-     try:
-         yield
-     finally:
+     yield
+     if True:
""",
    ),
]
