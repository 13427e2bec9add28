"""Find the bug: classes in the order of their numbers, read as texts."""

from exercises.engine.exercise import Exercise

import numpy as np

NAMES = (
    *("artist", "athlete", "building", "city", "company", "film", "painting"),
    *("plant", "river", "school", "ship", "village", "animal", "album"),
)


def cases(draw):
    for batch, classes in ((1, 2), (2, 4), (3, 9), (2, 11), (3, 12), (4, 14)):
        theirs = list(map(str, draw.permutation(NAMES)[:classes]))
        written = map(int, draw.permutation(classes))  # a file may list them anyhow
        while (order := draw.permutation(classes).tolist()) == sorted(order):
            pass
        yield (
            3 * draw.normal(size=(batch, classes)),
            {str(place): theirs[place] for place in written},
            [theirs[place] for place in order],
        )


def reference(logits, id2label, names):
    found = np.zeros_like(logits)
    for key, label in id2label.items():
        found[:, names.index(label)] = logits[:, int(key)]
    return found


EXERCISE = Exercise(
    title="Which column is which?",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A colleague's classifier is tested on your data, whose classes are in a different
order. `id2label`, as read from its `config.json`, says what its columns mean. The
function below puts them into the order of your `names`. For models with two, five and
nine classes, the accuracy is the one that the colleague reports. With fourteen classes,
at most two are ever recognized. Repair the function.
""",
    bug="The keys are still sorted as texts",
    solution={
        "torch": '''
def in_my_order(logits, id2label, names):
    """Return logits (batch, classes), column k for names[k].

    logits (batch, classes); id2label: {"0": "city", …}, what
    their columns mean; names: the classes in your order.
    """
    labels = [id2label[str(k)] for k in range(len(id2label))]
    columns = [labels.index(name) for name in names]
    return logits[:, columns]
''',
        "tensorflow": '''
def in_my_order(logits, id2label, names):
    """Return logits (batch, classes), column k for names[k].

    logits (batch, classes); id2label: {"0": "city", …}, what
    their columns mean; names: the classes in your order.
    """
    labels = [id2label[str(k)] for k in range(len(id2label))]
    columns = [labels.index(name) for name in names]
    return tf.gather(logits, columns, axis=1)
''',
    },
    why="""
The keys of a JSON object are strings, and as strings "10" comes before "2". Up to ten
classes, their order is that of the numbers, so every test with few classes passes. A
weight file holds no names at all. Which column is which is known only from `id2label`,
and nothing fails if the order is wrong: shapes fit, losses are finite, and a low
accuracy is the only sign. Read a few predictions beside their texts.
""",
    hints=(
        'Print `sorted(id2label)` with eleven classes: where does "10" stand?',
        "What does column 2 of the logits mean? Ask `id2label` for it.",
        "`id2label[str(k)]` is the name of column k, and `labels.index(name)` is the "
        "column of a name.",
    ),
    mistakes="""
The keys are still sorted as texts. Where does the tenth class stand?
- [id2label[str(k)] for k in range(len(id2label))]
+ [id2label[key] for key in sorted(id2label)]

You take the labels as the file lists them. Their keys say which columns they belong to.
- [id2label[str(k)] for k in range(len(id2label))]
+ list(id2label.values())

You sort the labels by name. Their keys say which columns they belong to.
- [id2label[str(k)] for k in range(len(id2label))]
+ sorted(id2label.values())

The columns stay as they are: those of your names are wanted.
- [labels.index(name) for name in names]
+ [labels.index(label) for label in labels]

You look each label up among your names. That is the way back: column k has to be where
the model has the name k.
- [labels.index(name) for name in names]
+ [names.index(label) for label in labels]

You look each label up among your names, and the keys are still sorted as texts.
- [id2label[str(k)] for k in range(len(id2label))]
+ [id2label[key] for key in sorted(id2label)]
- [labels.index(name) for name in names]
+ [names.index(label) for label in labels]

You sort the keys from the largest number to the smallest.
- range(len(id2label))
+ reversed(range(len(id2label)))

The keys are sorted by their length, and keys of one length stay as the file lists them.
- [id2label[str(k)] for k in range(len(id2label))]
+ [id2label[key] for key in sorted(id2label, key=len)]

The keys of a JSON object are texts: no number is among them.
- id2label[str(k)]
+ id2label[k]

Your columns are in the order of your names sorted from A to Z. Take the names as they
are.
- for name in names
+ for name in sorted(names)

You leave out the columns from the tenth on.
- range(len(id2label))
+ range(min(10, len(id2label)))
- for name in names
+ for name in names if name in labels

You exchange the rows, which are texts. The columns are the classes.
@torch
- logits[:, columns]
+ logits[columns]
@tensorflow
- tf.gather(logits, columns, axis=1)
+ tf.gather(logits, columns, axis=0)

The result is transposed: a row for each class. Return a row for each text.
@torch
- logits[:, columns]
+ logits[:, columns].T
@tensorflow
- tf.gather(logits, columns, axis=1)
+ tf.transpose(tf.gather(logits, columns, axis=1))

You return probabilities. The logits are wanted, in another order.
@torch
- logits[:, columns]
+ torch.softmax(logits[:, columns], dim=1)
@tensorflow
- tf.gather(logits, columns, axis=1)
+ tf.nn.softmax(tf.gather(logits, columns, axis=1))

You return the class of each text. The logits of all classes are wanted.
@torch
- logits[:, columns]
+ logits[:, columns].argmax(1)
@tensorflow
- tf.gather(logits, columns, axis=1)
+ tf.argmax(tf.gather(logits, columns, axis=1), 1)
""",
    reference=reference,
    cases=cases,
    equivalent={
        "labels = [id2label[str(k)] for k in range(len(names))]": (
            "There are as many names as labels."
        )
    },
)
