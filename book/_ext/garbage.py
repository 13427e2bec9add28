"""Build without looking for garbage: nearly all that a build makes stays until it ends.

Every page's tree is kept, and so are both frameworks, whose API is read: to go through
them again and again takes a quarter of the time. What is not tidied up takes a fifth
more memory.
"""

import gc


def setup(app):
    gc.disable()
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
