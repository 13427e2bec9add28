"""Values as JSON inside a page."""

import json


def script_json(value):
    """Return a value as JSON that may stand in a script of an HTML page."""
    # "<" would let a token such as "</script>" end the script.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
