"""Build an embedding layer: tokens, scaled, and learned positions."""

from exercises.engine.calls import call
from exercises.engine.exercise import Exercise


def cases(draw):
    # Fewer tokens than places: an id taken for a place finds a row, the wrong one.
    for batch, length, d_model, vocab_size, max_len in (
        (1, 1, 2, 2, 3),
        (2, 4, 3, 3, 4),
        (2, 3, 5, 4, 6),
        (3, 2, 4, 6, 7),
    ):
        yield call(
            draw.integers(0, vocab_size, size=(batch, length)),
            new={"vocab_size": vocab_size, "d_model": d_model, "max_len": max_len},
            weights={
                "tokens.rows": draw.normal(size=(vocab_size, d_model)),
                "places.rows": draw.normal(size=(max_len, d_model)),
            },
        )


def reference(ids, weights, vocab_size, d_model, max_len):
    tokens, places = weights["tokens.rows"], weights["places.rows"]
    return tokens[ids] * d_model**0.5 + places[: ids.shape[1]]


EXERCISE = Exercise(
    title="What, and where",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Write the layer of equation (2.2), with the paper's factor: the rows of the tokens,
times $\sqrt{d_\text{model}}$, plus the rows of their **places** from a second table.
The first table has `vocab_size` rows and is called `tokens`, the second has `max_len`
and is called `places`. A batch may be shorter than `max_len`.
""",
    starter={
        "torch": '''
class Embed(nn.Module):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.places = nn.Embedding(max_len, d_model)

    def forward(self, ids):
        ...
''',
        "tensorflow": '''
class Embed(keras.layers.Layer):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        table = keras.layers.Embedding
        self.tokens = table(vocab_size, d_model)
        self.places = table(max_len, d_model)

    def call(self, ids):
        ...
''',
    },
    solution={
        "torch": '''
class Embed(nn.Module):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.places = nn.Embedding(max_len, d_model)

    def forward(self, ids):
        place = torch.arange(ids.shape[1])
        x = self.tokens(ids) * self.scale
        return x + self.places(place)
''',
        "tensorflow": '''
class Embed(keras.layers.Layer):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        table = keras.layers.Embedding
        self.tokens = table(vocab_size, d_model)
        self.places = table(max_len, d_model)

    def call(self, ids):
        place = tf.range(ids.shape[1])
        x = self.tokens(ids) * self.scale
        return x + self.places(place)
''',
    },
    why="""
Only the length of the batch decides which places are looked up: 0, 1, 2 and so on, the
same for every sentence, so one row for each place is added to all of them. The factor
belongs to the tokens alone: the paper's waves are loud, and it makes a quiet table as
loud. Here the places have a table that begins like the tokens', and the factor drowns
them. BERT and GPT-2, which learn their places, leave it out.
""",
    hints=(
        "Which places does a batch of length 3 have?",
        "Look up `0, 1, …, length - 1` in the second table.",
        "Scale the rows of the tokens; add the rows of the places, which have no batch "
        "axis.",
    ),
    mistakes="""
The positions are looked up and never added: the order of the words is lost.
-         return x + self.places(place)
+         self.places(place)
+         return x

You add a row for each of `max_len` places. A shorter batch does not have that many.
- torch.arange(ids.shape[1])
+ torch.arange(self.places.num_embeddings)
- tf.range(ids.shape[1])
+ tf.range(self.places.input_dim)

The factor is left out.
- self.tokens(ids) * self.scale
+ self.tokens(ids)

The places are scaled, too. What should the factor do to the balance of the two?
- return x + self.places(place)
+ return x + self.places(place) * self.scale

The factor stands at the places. It belongs to the tokens.
- self.tokens(ids) * self.scale
+ self.tokens(ids)
- return x + self.places(place)
+ return x + self.places(place) * self.scale

You look the places up by the tokens' ids. Where a token stands does not depend on which
it is.
- self.places(place)
+ self.places(ids)

The factor is `d_model`. Its root is wanted.
- self.tokens(ids) * self.scale
+ self.tokens(ids) * self.scale**2

The places count from 1. The table's first row is row 0.
- (ids.shape[1])
+ (ids.shape[1]) + 1

All tokens get the row of place 0.
- torch.arange(ids.shape[1])
+ 0 * torch.arange(ids.shape[1])
- tf.range(ids.shape[1])
+ 0 * tf.range(ids.shape[1])

Every sentence of the batch gets another place's row. The places run along the length,
not along the batch.
- (ids.shape[1])
+ (ids.shape[0])[:, None]
""",
    reference=reference,
    cases=cases,
)
