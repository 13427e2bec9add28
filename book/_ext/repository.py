"""Where this copy of the book lives, so that a fork's buttons lead to the fork.

The first of these that is set counts:

1. the environment variables BOOK_REPOSITORY and BOOK_BRANCH;
2. git's remote `origin`, when it is an address on GitHub, and its default branch;
3. `repository: url:` and `branch:` in `_config.yml`.
"""

import os
import subprocess

from exercises.marking.github import GITHUB


def github_address(address):
    """`https://github.com/owner/name` for any way of writing it, or None."""
    match = GITHUB.fullmatch(address)
    return match and f"https://github.com/{match['owner']}/{match['name']}"


def git(folder, *arguments):
    """What git answers, or an empty string where there is no git or no answer."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True
        )
    except FileNotFoundError:
        return ""
    return answer.stdout.strip()


def repository(folder, url, branch, environment=os.environ):
    """The address and the branch of the book in `folder`.

    `url` and `branch` are the configured ones, used where neither the environment nor
    git gives others.
    """
    origin = github_address(git(folder, "remote", "get-url", "origin"))
    if environment.get("BOOK_REPOSITORY"):
        given = environment["BOOK_REPOSITORY"]
        url = github_address(given)
        if url is None:
            raise ValueError(
                f"BOOK_REPOSITORY is {given!r}; "
                "wanted an address such as https://github.com/owner/name"
            )
    elif origin:
        url = origin
        head = git(folder, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
        branch = head.removeprefix("origin/") or branch
    return url, environment.get("BOOK_BRANCH") or branch


def configure(app, config):
    options = config.html_theme_options
    options["repository_url"], options["repository_branch"] = repository(
        app.srcdir, options["repository_url"], options["repository_branch"]
    )


def setup(app):
    app.connect("config-inited", configure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
