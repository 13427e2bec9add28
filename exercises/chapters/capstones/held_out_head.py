"""Explore: choose a head on some sentences, and judge it on others."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

import numpy as np

LISTS = (
    (
        "the old sailor told a long story about a storm",
        "my sister sings",
        "a cold wind blew through the open window",
        "the train to the coast was late again",
    ),
    (
        "nobody had seen it",
        "they painted the garden fence bright green",
        "good bread needs flour water and time",
        "the children ran home before the rain came down again",
    ),
)
# Not the previous token: the score of its head is nearly 1, whatever it reads.
NEIGHBOURS = {
    1: "next token",
    2: "token after the next",
    -2: "token before the previous",
}
POOL = (*LISTS[0], *LISTS[1], *MORE_SENTENCES)
# Seeds that draw a step and sentences with a clear answer: one head is well ahead, and
# no mistake finds the same numbers. To search for them takes seconds.
CLEAR = (
    13, 16, 17, 22, 25, 28, 34, 42, 45, 47, 48, 65, 69, 71, 73, 78, 79, 81, 87, 89,
    100, 101, 102, 103, 109, 115, 117, 120, 123, 125, 135, 141, 144, 148, 153, 157,
    164, 172, 178, 179, 182, 185, 191, 197, 199, 200, 201, 202, 204, 205, 207, 208,
    213, 214, 224, 230, 233, 238, 241, 251, 253, 254, 268, 273, 275, 278, 280, 284,
    285, 287, 290, 291, 292, 295, 296, 297, 310, 312, 313, 315,
)  # fmt: skip


def values(draw):
    clear = np.random.default_rng(CLEAR[draw.integers(len(CLEAR))])
    step = int(clear.choice([*NEIGHBOURS]))
    drawn = clear.choice(POOL, 8, replace=False).tolist()
    return task(step, drawn[:4], drawn[4:])


def task(step, choose, judge):
    return {
        "step": step,
        "neighbour": NEIGHBOURS[step],
        "choose": choose,
        "judge": judge,
        "choose_text": written(choose),
        "judge_text": written(judge),
    }


def written(sentences):
    """Return a list of sentences as a formatter would write it."""
    lines = "".join(f'    "{sentence}",\n' for sentence in sentences)
    return f"[\n{lines}]"


def scores(sentences, step, words_only=False):
    """Return (layers, heads): the mean weight on the token `step` places on."""
    given = []
    for sentence in sentences:
        weights = read(sentence).attentions
        if words_only:
            weights = weights[:, :, 1:-1, 1:-1]
        given.append(np.diagonal(weights, step, axis1=2, axis2=3))
    return np.concatenate(given, -1).mean(-1)


def means(sentences, step):
    """Return scores for which each sentence counts the same, however long it is."""
    return np.mean([scores([sentence], step) for sentence in sentences], 0)


def in_alphabetical_order(sentences):
    return [" ".join(sorted(sentence.split())) for sentence in sentences]


def backwards(sentences):
    return [" ".join(sentence.split()[::-1]) for sentence in sentences]


def claim(chosen_by, held_out, control):
    """Return layer, head, its score, the best other head's, and the control's."""
    layer, head = np.unravel_index(chosen_by.argmax(), chosen_by.shape)
    others = held_out.copy()
    others[layer, head] = -1
    return np.array(
        [layer, head, held_out[layer, head], others.max(), control[layer, head]]
    )


def reference(step, neighbour, choose, judge, choose_text, judge_text):
    control = scores(in_alphabetical_order(judge), step)
    return claim(scores(choose, step), scores(judge, step), control)


HELPERS = "from exercises.chapters.capstones import held_out_head as ours"

EXERCISE = Exercise(
    title="Chosen here, judged there",
    kind="explore",
    difficulty=3,
    minutes=25,
    prompt="""
Which of MiniLM's 72 heads attends most to the **{{neighbour}}**? Choose the head
on the sentences `choose`, then judge it on the sentences `judge`, which had no part in
the choice. The score of a head is that of exercise C.4 with a step of {{step}}: the
mean over those queries of all four sentences, `[CLS]` and `[SEP]` included, that have
such a token.

Give five numbers: the layer and the head, counted from 0; its score on `judge`; the
score of the best *other* head on `judge`; and, as a control, the score of the chosen
head on the sentences of `judge` with their words in alphabetical order
(`sorted(sentence.split())`, joined by spaces). Three decimals are enough.
""",
    starter="""
choose = {{choose_text}}
judge = {{judge_text}}
claim = ...  # layer, head, score, best other, control: (5, 11, 0.123, 0.123, 0.123)
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

choose = {{choose_text}}
judge = {{judge_text}}
model, tokenizer = load_checkpoint()
model.eval()


def scores(sentences):
    given = []
    for sentence in sentences:
        ids = torch.tensor([tokenizer.encode(sentence)])
        with torch.no_grad():
            weights = torch.stack(model(ids)[1])[:, 0]
        given.append(weights.diagonal({{step}}, dim1=2, dim2=3))
    return torch.cat(given, dim=2).mean(2)


found = scores(choose)
layer, head = divmod(int(found.argmax()), found.shape[1])
judged = scores(judge)
score = float(judged[layer, head])
judged[layer, head] = 0
other = float(judged.max())
control = [" ".join(sorted(text.split())) for text in judge]
control = float(scores(control)[layer, head])
claim = (layer, head, score, other, control)
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

choose = {{choose_text}}
judge = {{judge_text}}
model, tokenizer = load_checkpoint(framework="tensorflow")


def scores(sentences):
    given = []
    for sentence in sentences:
        ids = tf.constant([tokenizer.encode(sentence)])
        weights = np.stack(model(ids)[1])[:, 0]
        given.append(weights.diagonal({{step}}, axis1=2, axis2=3))
    return np.concatenate(given, axis=2).mean(2)


found = scores(choose)
layer, head = divmod(int(found.argmax()), found.shape[1])
judged = scores(judge)
score = float(judged[layer, head])
judged[layer, head] = 0
other = float(judged.max())
control = [" ".join(sorted(text.split())) for text in judge]
control = float(scores(control)[layer, head])
claim = (layer, head, score, other, control)
""",
    },
    why="""
The best of 72 heads on a few sentences is partly lucky, so its score there is too high
on average; a fair score comes from sentences that had no part in the choice. The best
other head says how special yours is. The control says what the head needs: words in
alphabetical order have no grammar, so a head that scores as high on them doesn't need
it, and probably goes by position.
""",
    hints=(
        "The model returns its weights too: one tensor (batch, heads, queries, keys) a "
        "layer. One sentence at a time needs no padding.",
        "Collect the diagonal of every sentence, join them, and take the mean of all.",
        "Choose with `argmax` on `choose`. Then use `judge` and its control only.",
    ),
    mistakes=f"""
Layers and heads are counted from 0, as in the tensors.
+ claim = right + [1, 1, 0, 0, 0]

The layer comes first, then the head.
+ claim = right[[1, 0, 2, 3, 4]]

The score is that on `choose`. Judge the head on `judge`.
+ {HELPERS}
+ claim = right.copy()
+ claim[2] = ours.scores(choose, step)[int(right[0]), int(right[1])]

Both scores are those on `choose`. Judge the heads on `judge`.
+ {HELPERS}
+ control = ours.scores(ours.in_alphabetical_order(judge), step)
+ claim = ours.claim(ours.scores(choose, step), ours.scores(choose, step), control)

Everything is measured on `choose`, the control as well.
+ {HELPERS}
+ found = ours.scores(choose, step)
+ control = ours.scores(ours.in_alphabetical_order(choose), step)
+ claim = ours.claim(found, found, control)

Everything is measured on both lists together. Choose on one, judge on the other.
+ {HELPERS}
+ found = ours.scores(choose + judge, step)
+ control = ours.scores(ours.in_alphabetical_order(choose + judge), step)
+ claim = ours.claim(found, found, control)

Your control shuffles the sentences of `choose`. Take those of `judge`.
+ {HELPERS}
+ control = ours.scores(ours.in_alphabetical_order(choose), step)
+ claim = ours.claim(ours.scores(choose, step), ours.scores(judge, step), control)

That head looks to the other side. Queries are the rows, and a step of {{{{step}}}} is
the {{{{neighbour}}}}.
+ {HELPERS}
+ claim = ours.reference(-step, neighbour, choose, judge, "", "")

The second score is the mean of the other heads. The best of them is asked for.
+ {HELPERS}
+ others = ours.scores(judge, step)
+ claim = right.copy()
+ claim[3] = (others.sum() - right[2]) / (others.size - 1)

The second score is the mean of all heads. The best other head is asked for.
+ {HELPERS}
+ claim = right.copy()
+ claim[3] = ours.scores(judge, step).mean()

The second score is that of the chosen head itself. The best other head is asked for.
+ claim = right[[0, 1, 2, 2, 4]]

The second score is the best of the same layer only. Compare with all other heads.
+ {HELPERS}
+ row = ours.scores(judge, step)[int(right[0])]
+ claim = right.copy()
+ claim[3] = np.delete(row, int(right[1])).max()

The last two numbers are swapped: the best other head comes before the control.
+ claim = right[[0, 1, 2, 4, 3]]

You took the mean of each sentence first. Here every query counts the same.
+ {HELPERS}
+ control = ours.means(ours.in_alphabetical_order(judge), step)
+ claim = ours.claim(ours.means(choose, step), ours.means(judge, step), control)

You cut off `[CLS]` and `[SEP]`. Here they count, as queries and as keys.
+ {HELPERS}
+ control = ours.scores(ours.in_alphabetical_order(judge), step, True)
+ claim = ours.claim(
+     ours.scores(choose, step, True), ours.scores(judge, step, True), control
+ )

Your control is the best head on the shuffled sentences. Take the chosen head.
+ {HELPERS}
+ claim = right.copy()
+ claim[4] = np.delete(
+     ours.scores(ours.in_alphabetical_order(judge), step).ravel(),
+     int(right[0] * 12 + right[1]),
+ ).max()

Your control has its words in reverse order. They belong in alphabetical order.
+ {HELPERS}
+ control = ours.scores(ours.backwards(judge), step)
+ claim = right.copy()
+ claim[4] = control[int(right[0]), int(right[1])]

Your diagonal is one place too near. A step of {{{{step}}}} is asked for: the
{{{{neighbour}}}}.
+ {HELPERS}
+ nearer = step - 1 if step > 0 else step + 1
+ claim = ours.reference(nearer, neighbour, choose, judge, "", "")

Your diagonal is one place too far away. A step of {{{{step}}}} is asked for: the
{{{{neighbour}}}}.
+ {HELPERS}
+ farther = step + 1 if step > 0 else step - 1
+ claim = ours.reference(farther, neighbour, choose, judge, "", "")

Your control is the score itself: the words are still in their old order.
+ claim = right[[0, 1, 2, 3, 2]]

Your scores are sums over the queries. Take the means.
+ {HELPERS}
+ queries = sum(
+     np.diagonal(ours.read(sentence).attentions, step, axis1=2, axis2=3).shape[-1]
+     for sentence in judge
+ )
+ claim = right * [1, 1, queries, queries, queries]
""",
    reference=reference,
    values=values,
    book=task(2, list(LISTS[1]), list(LISTS[0])),
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "weights = torch.stack(model(ids)[1])[:, -1]",
            "weights = np.stack(model(ids)[1])[:, -1]",
        ),
        "There is one sentence in the batch.",
    )
    | {"judged[layer, head] = -1": "No score is below 0."},
)
