"""Explore: the head of a layer that spreads its attention most evenly."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

import numpy as np


def values(draw):
    return {
        "sentence": MORE_SENTENCES[draw.integers(len(MORE_SENTENCES))],
        "layer": int(draw.integers(1, 5)),
    }


def most_even(weights):
    """Return the head of weights (heads, queries, keys) with the highest entropy.

    And e to the power of that entropy. The first and last queries are left out.
    """
    weights = weights[:, 1:-1]
    entropies = -(weights * np.log(weights)).sum(-1).mean(-1)
    return np.array([entropies.argmax(), np.exp(entropies.max())])


def reference(sentence, layer):
    return most_even(read(sentence).attentions[layer])


LAST = "After the sum, axis 1 is the last."
ALONE = "There is one sentence only."

EXERCISE = Exercise(
    title="How many tokens does a head attend to?",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt=r"""
Weights $w_1, w_2, \dots$ have the **entropy** $H = -\sum_j w_j \ln w_j$, and $e^H$
says how many tokens they are spread over: exactly $n$ if $n$ tokens share the attention
equally, 1 if one has it all.

`load_checkpoint()` from `readymade.weights` returns MiniLM, built with the book's
layers, and its tokenizer, whose `encode` adds `[CLS]` and `[SEP]`. In TensorFlow, pass
`framework="tensorflow"`. The model takes a batch of ids and returns hidden vectors and
the weights of each layer.

Give MiniLM the sentence “{{sentence}}”. In layer **{{layer}}** (layers and
heads are counted from 0), take for every head the mean of $H$ over the queries, leaving
out those of `[CLS]` and `[SEP]`. Which head has the highest mean entropy, and what
is $e$ to the power of that mean? Give it to three decimals.
""",
    starter="""
head_and_tokens = ...  # the head and the number, such as (7, 3.142)
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    hidden, weights = model(ids)
weights = weights[{{layer}}][0, :, 1:-1]  # queries: words
entropy = -(weights * weights.log()).sum(-1).mean(-1)
head = int(entropy.argmax())
head_and_tokens = (head, math.exp(float(entropy[head])))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
hidden, weights = model(ids)
weights = weights[{{layer}}][0, :, 1:-1].numpy()  # queries: words
entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
head = int(entropy.argmax())
head_and_tokens = (head, math.exp(float(entropy[head])))
""",
    },
    why="""
The head with the highest number spreads its attention most evenly over the few tokens
of the sentence, `[CLS]` and `[SEP]` included. Other heads attend to far fewer tokens.
Entropy tells the two kinds apart without a picture; Clark et al. (2019) use it to
compare the heads of BERT.
""",
    hints=(
        "The model also returns its weights, one tensor (batch, heads, queries, keys) "
        "for each layer. Keep the rows of the words.",
        "The entropy is a sum over the keys; then take the mean over the queries.",
        "Multiply the weights by their own logarithm, sum the last axis, take the mean "
        "of the next, change the sign.",
    ),
    mistakes="""
That is the entropy. Raise e to the power of it.
+ head_and_tokens = [right[0], math.log(right[1])]

That is the head with the lowest entropy. Look for the highest.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmin(), math.exp(entropy.min())]

That head is in the layer before. The first layer is layer 0.
+ head_and_tokens = reference(sentence, layer - 1)

That head is in the layer after. The first layer is layer 0.
+ head_and_tokens = reference(sentence, layer + 1)

You counted `[CLS]` and `[SEP]` among the queries.
+ weights = read(sentence).attentions[layer]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You raised e to the power of each query's H, then took the mean. Here the mean comes
first.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1)
+ tokens = np.exp(entropy).mean(-1)
+ head_and_tokens = [tokens.argmax(), tokens.max()]

You left out `[CLS]` and `[SEP]` among the keys too. They are left out as queries only.
+ weights = read(sentence).attentions[layer][:, 1:-1, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You left out `[CLS]` and `[SEP]` among the keys too, and made the other weights sum to 1
again. They are left out as queries only.
+ weights = read(sentence).attentions[layer][:, 1:-1, 1:-1]
+ weights = weights / weights.sum(-1, keepdims=True)
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You took the mean of the weights over the queries first. Take each query's entropy, then
the mean.
+ weights = read(sentence).attentions[layer][:, 1:-1].mean(1)
+ entropy = -(weights * np.log(weights)).sum(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You counted `[SEP]` among the queries.
+ weights = read(sentence).attentions[layer][:, 1:]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You counted `[CLS]` among the queries.
+ weights = read(sentence).attentions[layer][:, :-1]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You took the query with the highest entropy. The mean over the queries is wanted.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = (-weights * np.log(weights)).sum(-1).max(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You changed the sign after the maximum, so you took the query with the lowest entropy.
The mean over the queries is wanted.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1).max(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You divided the sum of all entropies by the number of keys. Take the mean over the
queries.
+ keys = len(read(sentence).tokens)
+ head_and_tokens = [right[0], right[1] ** ((keys - 2) / keys)]

You took a mean over the keys where the entropy is a sum.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = -(weights * np.log(weights)).mean(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

That head is in the last layer.
+ head_and_tokens = reference(sentence, 5)

H uses the natural logarithm. Raise e to the power of the mean, not 2.
+ head_and_tokens = [right[0], right[1] ** math.log(2)]

That is the entropy in bits. Raise e to the power of the entropy in natural units.
+ head_and_tokens = [right[0], math.log2(right[1])]

The number is the mean of the logarithms, without the minus sign in H and before the
power.
+ head_and_tokens = [right[0], -math.log(right[1])]

You left out `[CLS]` and `[SEP]` on the wrong axis: queries come before keys.
+ weights = read(sentence).attentions[layer][:, :, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You summed over the queries and took the mean over the keys. Each query's weights sum to
1.
+ weights = np.swapaxes(read(sentence).attentions[layer], 1, 2)[:, 1:-1]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

Your head has the highest negative entropy, so the lowest entropy. Check the sign.
+ weights = read(sentence).attentions[layer][:, 1:-1]
+ entropy = (weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

You summed the entropies of the queries. Take their mean.
+ queries = len(read(sentence).tokens) - 2
+ head_and_tokens = [right[0], right[1] ** queries]

The sign of the entropy is missing: yours is e to the power of −H.
+ head_and_tokens = [right[0], 1 / right[1]]

You gave the number first. Give the head first.
+ head_and_tokens = [right[1], right[0]]

You ran the sentence without `[CLS]` and `[SEP]`. They are keys, too.
+ weights = read(sentence, special_tokens=False).attentions[layer]
+ entropy = -(weights * np.log(weights)).sum(-1).mean(-1)
+ head_and_tokens = [entropy.argmax(), math.exp(entropy.max())]

The first head is head 0.
+ head_and_tokens = [right[0] + 1, right[1]]

Your logarithm has base 2 and your power base e. Use base e for both.
+ head_and_tokens = [right[0], right[1] ** (1 / math.log(2))]
""",
    reference=reference,
    values=values,
    book={"sentence": "we walked home in the rain", "layer": 3},
    tolerance=0.00015,
    equivalent={
        "entropy = -(weights * weights.log()).sum(-1).mean(+1)": LAST,
        "entropy = -(weights * np.log(weights)).sum(-1).mean(+1)": LAST,
        "weights = weights[3][-1, :, 1:-1]  # queries: words": ALONE,
        "weights = weights[3][-1, :, 1:-1].numpy()  # queries: words": ALONE,
    },
)
