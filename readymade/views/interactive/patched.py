"""Heads whose output at one place can be exchanged for that in another text."""

from collections.abc import Mapping, Sequence

from readymade.views.figures import COLORS, FAINT, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure


def patched_heads(
    text: str,
    donors: Mapping[str, tuple[str, str]],
    answers: Mapping[str, Sequence[str]],
    heads: Sequence[str],
) -> InteractiveFigure:
    """Return a model's heads with a switch each, and what it then answers.

    A switch exchanges what a head adds at the text's last token for what it adds in the
    donor, a text that differs in one word.

    Args:
        text: what the model continues.
        donors: for each donor, by the name of what differs, its text and the model's
            answer to it.
        answers: for each donor, the model's answers to `text` with each set of heads
            exchanged, 2 ** len(heads) in all: entry i is that with each head k for
            which `i >> k & 1` is 1.
        heads: the heads' names.

    Returns:
        The figure, which a notebook shows.

    Raises:
        ValueError: if a donor has not as many answers as there are sets of heads.
    """
    sets = 2 ** len(heads)
    for name in donors:
        if len(answers[name]) != sets:
            raise ValueError(
                f"answers has {len(answers[name])} for {name!r}: wanted {sets}, one "
                f"for each set of the {len(heads)} heads"
            )
    own = answers[next(iter(donors))][0]
    smallest = {
        name: _smallest(answers[name], answer) for name, (_, answer) in donors.items()
    }
    found = [
        f"With {_named(heads, smallest[name])} from “{other}”, the answer is {answer}."
        if smallest[name]
        else f"No set of heads from “{other}” makes it {answer}."
        for name, (other, answer) in donors.items()
    ]
    return InteractiveFigure(
        "patched",
        "Heads exchanged for those of another text",
        {
            "text": text,
            "heads": list(heads),
            "donors": [
                {
                    "name": name,
                    "text": other,
                    "answer": answer,
                    "answers": list(answers[name]),
                    "smallest": smallest[name],
                }
                for name, (other, answer) in donors.items()
            ],
        },
        (250, 360),
        _still(text, donors, answers, heads, smallest),
        " ".join([f"The model continues “{text}” with {own}.", *found]),
        parts=("controls.js",),
    )


def _smallest(answers, wanted):
    """Return the first of the smallest sets with this answer; 0 if none has it."""
    sets = [one for one, answer in enumerate(answers) if one and answer == wanted]
    return min(sets, key=int.bit_count, default=0)


def _named(heads, chosen):
    names = [name for place, name in enumerate(heads) if chosen >> place & 1]
    return f"head{'s' * (len(names) > 1)} {' and '.join(names)}" if names else ""


def _still(text, donors, answers, heads, smallest):
    """Draw a table: the answers with each head exchanged alone, and a smallest set."""
    import matplotlib.pyplot as plt

    sets = [("no head", 0), *((f"head {name}", 1 << k) for k, name in enumerate(heads))]
    names = [name for name, _ in sets]
    columns = [(None, ["with this exchanged", "", *names, "a smallest set"])]
    for name, (other, wanted) in donors.items():
        shown = [answers[name][one] for _, one in sets]
        best = _named(heads, smallest[name]) or "none"
        columns.append((wanted, [f"“{other}”", f"→ {wanted}", *shown, best]))
    last = len(sets) + 2  # row
    with figure_style():
        figure, axes = plt.subplots(figsize=(7, 0.22 * last + 0.6))
        axes.set_axis_off()
        axes.set_title(f"How “{text}” goes on with heads of other texts", fontsize=9)
        for place, (wanted, column) in enumerate(columns):
            for row, word in enumerate(column):
                color = COLORS["blue"] if word == wanted else None
                word = word.replace("$", r"\$")
                axes.text(place, -row, word, fontsize=8, color=color)
        for above in (1.35, last - 0.65):
            axes.axhline(-above, color=FAINT, linewidth=0.8)
        axes.set(xlim=(0, len(columns)), ylim=(-last - 0.3, 0.8))
        return as_png(figure)
