"""Requests that share steps, and guessed tokens: mistakes 46 and 47, of chapter 19.

A file whose name begins with a dot is `scratch`'s own, the same for both frameworks.
"""

from readymade.museum.exhibits import exhibits

SERVING = [
    *exhibits(
        "decoder",
        """
46: a step: each row at the position of the longest
@torch
- start = start - padding
+ start = start - padding.amin(0, keepdim=True)
@tensorflow
- start = start - padding
+ start = start - tf.reduce_min(padding, 0, keepdims=True)
""",
    ),
    *exhibits(
        "serving",
        """
46: a step: what fills a row up, another request's keys, not hidden
- place >= padding[:, None]
+ place >= 0 * padding[:, None]

46: a step: the random numbers of a slot, not of the request
- task.numbers[len(task.new)]
+ tasks[0].numbers[len(task.new)]
""",
    ),
    *exhibits(
        ".serving",
        """
47: a rejected guess: drawn again from the target
- np.where(total > 0, above / np.where(total > 0, total, 1.0), target)
+ target

47: a rejected guess: the remainder not divided by its sum
- above / np.where(total > 0, total, 1.0)
+ above

47: a guess accepted with the target's probability, whatever the draft's
- np.minimum(target, draft)
+ (target * draft)
""",
    ),
    *exhibits(
        "speculation",
        """
47: the token after the last guess written by the draft
@torch
- tokens.tolist()
+ [
+     *tokens.tolist()[:-1],
+     *helper.write([*text, *more], numbers[-1:], temperature),
+ ]
@tensorflow
- tokens.numpy().tolist()
+ [
+     *tokens.numpy().tolist()[:-1],
+     *helper.write([*text, *more], numbers[-1:], temperature),
+ ]
""",
    ),
]
