"""Predict how many parameters are trained when the encoder is frozen."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_model": int(draw.choice([64, 96, 160, 192, 256, 320])),
        "num_layers": int(draw.choice([4, 6, 8])),
        "num_classes": int(draw.choice([3, 5, 7, *range(9, 21)])),
    }


def reference(d_model, num_layers, num_classes):
    return d_model * (d_model + 1) + num_classes * (d_model + 1)


EXERCISE = Exercise(
    title="What is trained when the encoder is frozen?",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
You build a `SequenceClassifier` for {{num_classes}} topics on a BERT with
$d_\text{model} = {{d_model}}$, {{num_layers}} layers and a pooler. You freeze the
embeddings and all the layers, so only the pooler and the classifier are trained. How
many parameters does the optimizer update?
""",
    starter="""
trained = ...  # a whole number
""",
    solution="""
d_model, num_classes = {{d_model}}, {{num_classes}}
pooler = d_model * d_model + d_model
classifier = d_model * num_classes + num_classes
trained = pooler + classifier
""",
    why="""
The pooler is a dense layer from `d_model` to `d_model`, the classifier one from
`d_model` to the classes, each with a bias. The number of encoder layers does not
matter. Nearly all of these parameters are in the pooler. Mean pooling has no
parameters, so with it only the classifier would be trained.
""",
    hints=(
        "Pooler and classifier are one linear layer each. What sizes do they map?",
        "The pooler keeps the size of the vector: its matrix is square.",
        "Each of the two layers has a bias, one for each of its outputs.",
    ),
    mistakes="""
The pooler is left out. It is trained, too.
- pooler + classifier
+ classifier

The classifier is left out.
- pooler + classifier
+ pooler

Both biases are left out.
- d_model * d_model + d_model
+ d_model * d_model
- d_model * num_classes + num_classes
+ d_model * num_classes

The bias of the pooler is left out.
- d_model * d_model + d_model
+ d_model * d_model

The bias of the classifier is left out.
- d_model * num_classes + num_classes
+ d_model * num_classes

The classifier has one output fewer than there are classes. It needs one for each.
- classifier = d_model * num_classes + num_classes
+ classifier = d_model * (num_classes - 1) + num_classes - 1

The classifier has one output. It needs one for each class.
- classifier = d_model * num_classes + num_classes
+ classifier = d_model + 1

The bias of the classifier has one number for each class, not for each input.
- d_model * num_classes + num_classes
+ d_model * num_classes + d_model

The pooler goes from `d_model` to `d_model`, not to the classes.
- pooler = d_model * d_model + d_model
+ pooler = d_model * num_classes + num_classes

There is one pooler, after the last layer, not one in each.
- pooler + classifier
+ {{num_layers}} * pooler + classifier

The layers are frozen. Their parameters are not updated.
- pooler + classifier
+ {{num_layers}} * (12 * d_model**2 + 13 * d_model) + pooler + classifier

There is no norm between pooler and classifier.
- pooler + classifier
+ pooler + classifier + 2 * d_model

You counted one pooler for each class. There is one.
- pooler + classifier
+ num_classes * pooler + classifier

The two layers follow each other, so their sizes add up. You multiplied them.
- pooler + classifier
+ pooler * classifier

The pooler and the bias of the classifier are left out.
- d_model * num_classes + num_classes
+ d_model * num_classes
- pooler + classifier
+ classifier

You counted the pooler twice. It is one linear layer.
- pooler + classifier
+ 2 * pooler + classifier

The classifier has an output for each of the {{num_classes}} topics. Yours has two.
- classifier = d_model * num_classes + num_classes
+ classifier = d_model * 2 + 2

The layers are frozen. Not even the last one is updated.
- pooler + classifier
+ 12 * d_model**2 + 13 * d_model + pooler + classifier

A layer has a bias for each of its outputs. You counted one for each layer.
- d_model * d_model + d_model
+ d_model * d_model + 1
- d_model * num_classes + num_classes
+ d_model * num_classes + 1

The pooler has a whole matrix, from `d_model` to `d_model`. You counted one weight for
each number.
- pooler = d_model * d_model + d_model
+ pooler = d_model
""",
    reference=reference,
    values=values,
    book={"d_model": 128, "num_layers": 6, "num_classes": 5},
)
