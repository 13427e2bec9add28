"""Build BM25: how well a text fits a question, by the words that both have."""

from exercises.engine.exercise import Exercise

import numpy as np

WORDS = "river stone bridge bread salt honey wolf moon tower ship glass fire".split()


def cases(draw):
    yield ["moon"], [["moon"], ["salt"]], 1.5, 0.75
    yield ["moon", "ship"], [["salt"], ["fire", "fire"]], 1.2, 0.5  # no word in common
    for texts, longest, k, b in (
        (3, 4, 1.5, 0.75),
        (4, 9, 1.2, 0.5),
        (5, 12, 2.0, 1.0),
        (6, 14, 0.8, 0.0),
        (7, 16, 1.5, 0.75),
        (9, 20, 1.1, 0.9),
    ):
        library = [
            draw.choice(WORDS, int(draw.integers(2, longest)), p=ZIPF).tolist()
            for _ in range(texts)
        ]
        library[0] += library[0][:1] * 3  # some word stands often in one text
        library.append([library[0][0]])
        asked = [library[0][0], library[1][-1], library[0][0], "nowhere"]
        yield asked, library, k, b


ZIPF = 1 / np.arange(1, len(WORDS) + 1)
ZIPF /= ZIPF.sum()


def reference(question, texts, k, b):
    counts = np.array([[text.count(word) for word in question] for text in texts])
    lengths = np.array([len(text) for text in texts])
    holding = (counts > 0).sum(0)
    rare = np.log((len(texts) + 1) / (holding + 0.5))
    size = k * (1 - b + b * lengths / lengths.mean())
    return (counts * (k + 1) / (counts + size[:, None]) * rare).sum(1)


EXERCISE = Exercise(
    title="Search by words",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt=r"""
Write `bm25`, which scores how well each text of a library fits a question, by the words
that both have. Texts and the question are lists of words. The score of a text is the
sum over the words $w$ of the question (a word that stands there twice counts twice):

$$ \sum_w \ln \frac{N + 1}{n_w + 0.5} \cdot
\frac{c_w \, (k + 1)}{c_w + k \, (1 - b + b \, \ell / \bar \ell)} $$

where $N$ is the number of texts, $n_w$ that of the texts in which $w$ occurs, $c_w$ how
often it occurs in this text, $\ell$ how many words the text has, and $\bar \ell$ the
mean of $\ell$ over all texts. Return an array with a score for each text.
""",
    solution='''
def bm25(question, texts, k, b):
    """Return scores (texts,).

    question: a list of words; texts: a list of lists of words.
    """
    lengths = [len(text) for text in texts]
    mean = sum(lengths) / len(texts)
    scores = np.zeros(len(texts))
    for word in question:
        holding = sum(word in text for text in texts)
        rare = np.log((len(texts) + 1) / (holding + 0.5))
        for place, text in enumerate(texts):
            count = text.count(word)
            size = k * (1 - b + b * lengths[place] / mean)
            scores[place] += rare * count * (k + 1) / (count + size)
    return scores
''',
    why=r"""
Three ideas are in this formula. A word that few texts have says more about which text
is meant, so it gets a larger weight (its *inverse document frequency*). The second time
a word occurs adds less than the first: the fraction never exceeds $k + 1$. And a long
text has more words of any kind, so its counts are worth less, to the degree that $b$
says.

Libraries often write the weight as $\ln(1 + (N - n_w + 0.5) / (n_w + 0.5))$, which is
the same number and never negative. A word that no text has gets the largest weight and
changes nothing, because its count is 0.
""",
    hints=(
        "The weight of a word depends on the library alone: in how many texts does it "
        "occur?",
        "Then go through the texts. `text.count(word)` is how often the word occurs, "
        "and 0 of them give a fraction of 0.",
        "The mean length is that of all texts, counted in words.",
    ),
    mistakes="""
All words weigh the same. A word that few texts have has to weigh more.
- rare * count
+ count

Your weight counts how often the word occurs in all texts. Count the texts in which it
occurs.
- sum(word in text for text in texts)
+ sum(text.count(word) for text in texts)

Your weight falls with the number of texts and rises with how many have the word. It is
the other way round.
- np.log((len(texts) + 1) / (holding + 0.5))
+ np.log((holding + 0.5) / (len(texts) + 1))

The logarithm of the weight is missing.
- np.log((len(texts) + 1) / (holding + 0.5))
+ (len(texts) + 1) / (holding + 0.5)

Your weight has the 1 of another formula: it is the logarithm of (N + 1) / (n + 0.5).
- (len(texts) + 1) / (holding + 0.5)
+ len(texts) / (holding + 1)

The length of the text changes nothing in your score. Put it into the divisor, with b.
- (1 - b + b * lengths[place] / mean)
+ 1

Your lengths are upside down: a text that is longer than the mean has a larger divisor.
- lengths[place] / mean
+ mean / lengths[place]

The share b belongs to the length, 1 - b to the 1.
- (1 - b + b * lengths[place] / mean)
+ (b + (1 - b) * lengths[place] / mean)

Your lengths are not divided by their mean.
- lengths[place] / mean
+ lengths[place]

Your lengths count letters. Count words.
- [len(text) for text in texts]
+ [sum(map(len, text)) for text in texts]

The count isn't saturated in your score: each time a word occurs adds as much.
- rare * count * (k + 1) / (count + size)
+ rare * count * (k + 1) / (1 + size)

You ask whether a word occurs. How often it does counts, too.
- text.count(word)
+ int(word in text)

The factor k + 1 is missing. It changes no order, but the scores.
- count * (k + 1)
+ count

A word that stands twice in the question counts twice.
- for word in question:
+ for word in dict.fromkeys(question):

You divide the score by the number of words in the question. The sum is asked for.
- return scores
+ return scores / len(question)

You return the places of the texts, the best first. Return a score for each text.
- return scores
+ return np.argsort(-scores)
""",
    reference=reference,
    cases=cases,
)
