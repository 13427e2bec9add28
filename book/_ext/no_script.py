"""One line for readers whose browser runs no scripts: what works, and what does not.

The style sheet shows it only where a browser runs none.
"""

LINE = (
    '<p class="no-script">Your browser runs no scripts. All of the text and code is '
    "here, tabs and folded parts can be opened, and a picture takes the place of each "
    "interactive view. Searching needs scripts.</p>\n"
)


def add_line(app, page, template, context, doctree):
    if doctree:
        context["body"] = LINE + context["body"]


def setup(app):
    app.connect("html-page-context", add_line)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
