"""Predict how many tokens, parameters and scores the patches of a picture give."""

from exercises.engine.exercise import Exercise


def values(draw):
    size = int(draw.choice([4, 8, 16]))
    down, across = draw.choice(range(4, 16), 2, replace=False).tolist()
    return {
        "height": size * down,
        "width": size * across,
        "size": size,
        "channels": int(draw.choice([2, 3, 4])),
        "d_model": int(draw.choice([32, 48, 96, 128])),
        "heads": int(draw.choice([3, 4, 6, 8])),
    }


def reference(height, width, size, channels, d_model, heads):
    patches = sum(1 for _ in range(0, height, size) for _ in range(0, width, size))
    numbers_for_each = channels * size * size + 1  # of d_model: a row of E, or the bias
    parameters = d_model * (numbers_for_each + 1 + patches + 1)
    return [patches + 1, parameters, heads * (patches + 1) * (patches + 1)]


EXERCISE = Exercise(
    title="Count before you run",
    kind="predict",
    difficulty=1,
    minutes=4,
    prompt=r"""
Pictures of {{height}} × {{width}} pixels (height × width) with {{channels}} channels
are cut into patches of {{size}} × {{size}}. Like `PatchEmbeddings`, a layer turns each
patch into an embedding with a matrix $E$ and its bias, puts [CLS] in front and adds
learned positions, exactly as many as there are tokens. $d_\text{model}$ is {{d_model}},
and the encoder's attention has {{heads}} heads.

How many tokens does the encoder get for a picture, how many parameters do the
embeddings have in all, and how many attention scores does **one layer** compute for
**one picture**?
""",
    starter="""
counts = ...  # tokens, parameters, scores: [50, 10000, 20000]
""",
    solution="""
patches = ({{height}} // {{size}}) * ({{width}} // {{size}})
tokens = 1 + patches  # [CLS] first
matrix = {{channels}} * {{size}} ** 2 * {{d_model}}
vectors = 1 + 1 + tokens  # the bias, [CLS] and the positions
parameters = matrix + vectors * {{d_model}}
scores = {{heads}} * tokens**2
counts = [tokens, parameters, scores]
""",
    why="""
Patches half as long make four times as many tokens, and sixteen times as many scores.
In the embeddings, the matrix gets smaller, because each patch has a quarter of the
pixels, but there are four times as many positions. The layers after them have as many
parameters as before. So the length of a patch's side decides above all what a picture
costs to read.

Where nothing else is changed, the number of heads doesn't change the parameters of
attention. It does change the number of scores: each head has a map of its own.
""",
    hints=(
        "How many patches lie side by side, and how many below each other? [CLS] is "
        "one token more.",
        "E has a row for each number of a patch, of all its channels, and a column for "
        "each of the {{d_model}} dimensions. Beside it there are vectors of "
        "{{d_model}} numbers: the bias, [CLS] and a position for each token.",
        "In each head, each token has a score for each token, itself included.",
    ),
    mistakes="""
[CLS] is forgotten: it is a token, has a position, and takes part in attention.
- tokens = 1 + patches
+ tokens = patches

You count the patches and the matrix E. [CLS] is a token as well, and the bias, [CLS]
and the positions are parameters.
- tokens = 1 + patches
+ tokens = patches
- vectors = 1 + 1 + tokens
+ vectors = 0

[CLS] is a token, but you leave it out of the scores. It attends and is attended to like
any patch.
- tokens**2
+ patches**2

The tokens are right. Your patch has {{size}} pixels; it is a square, with {{size}} ×
{{size}}.
- {{size}} ** 2
+ {{size}}

The tokens and parameters are right. Your scores grow with the number of tokens. Each
token has a score for each token.
- tokens**2
+ tokens

The tokens and parameters are right. You count the scores of one head. Each of the
{{heads}} heads has its own.
- {{heads}} * tokens
+ tokens

Each pixel is a token for you. A token is a patch of {{size}} × {{size}} pixels.
- ({{height}} // {{size}}) * ({{width}} // {{size}})
+ {{height}} * {{width}}

The tokens are right. A patch has the pixels of all {{channels}} channels, and you count
one.
- {{channels}} * {{size}}
+ {{size}}

You make patches of each channel. A patch goes through all channels.
- patches = (
+ patches = {{channels}} * (

The tokens are right. One vector of {{d_model}} parameters is missing: the bias of E,
[CLS] itself, or the position of [CLS].
- 1 + 1 + tokens
+ 1 + tokens

The tokens are right. Two vectors of {{d_model}} parameters are missing: count the bias
of E, [CLS] itself, and a position for each token, [CLS] included.
- 1 + 1 + tokens
+ tokens

The tokens are right. The positions are missing: they are learned, so they are
parameters.
- 1 + 1 + tokens
+ 1 + 1

The tokens are right. For the parameters, you count the matrix E alone. The bias, [CLS]
and the positions are parameters as well.
- matrix + vectors * {{d_model}}
+ matrix

The tokens are right. For the parameters, you count the vectors, but not the matrix E.
- matrix + vectors
+ vectors

The tokens are right. Each patch has a matrix of its own in your count. All share E.
- matrix + vectors
+ patches * matrix + vectors
""",
    reference=reference,
    values=values,
    book={
        "height": 96,
        "width": 160,
        "size": 8,
        "channels": 3,
        "d_model": 64,
        "heads": 4,
    },
    equivalent={
        f"patches = ({down}) * ({across})": "A patch that is cut off doesn't count."
        for down, across in (
            ("97 // 8", "160 // 8"),
            ("96 // 8", "161 // 8"),
            ("96 / 8", "160 // 8"),
            ("96 // 8", "160 / 8"),
        )
    },
)
