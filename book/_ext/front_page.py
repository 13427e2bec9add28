"""The picture of the front page: the reader's text as tokens, positions and ids.

The directive `front-picture` becomes a text field and an empty stage, with the merges
that chapter 1 learns from its story; `front.js` draws the tokens as one types.
"""

import html

from readymade.data.story import corpus
from readymade.views.script_json import script_json
from scratch.tokenization import BytePairEncoding

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

VOCAB_SIZE = 600  # as in chapter 1
PARAGRAPHS = 11  # the rest of the story is for measuring


def story_tokenizer():
    """The tokenizer that chapter 1 learns."""
    return BytePairEncoding.train("\n\n".join(corpus()[:PARAGRAPHS]), VOCAB_SIZE)


class FrontPicture(SphinxDirective):
    has_content = True

    def run(self):
        merges = script_json(story_tokenizer().merges)
        text = html.escape(" ".join(self.content))
        field = (
            f"<label>Type something (60 characters at most)"
            f'<input type="text" maxlength="60" autocomplete="off" '
            f'spellcheck="false" value="{text}"></label>'
        )
        markup = (
            f'<div class="front-picture">{field}<div class="front-stage" role="img">'
            f'</div><script type="application/json">{merges}</script></div>'
        )
        return [nodes.raw("", markup, format="html")]


def setup(app):
    app.add_directive("front-picture", FrontPicture)
    app.add_js_file("front.js")
    app.add_css_file("front.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
