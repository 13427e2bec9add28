"""Explore: how many tokens a sentence costs in another language."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tokenizer

# In each language: how a sentence may begin, "and", and how it may end.
PARTS = {
    "English": (
        (
            "the children play outside",
            "the garden is full of birds",
            "the soup is much too hot",
            "the teacher has a new job",
            "the train was late again",
            "the winter was very long",
        ),
        "and",
        (
            "nobody knows the reason",
            "the dog is asleep",
            "we are still waiting for the bus",
        ),
    ),
    "German": (
        (
            "die kinder spielen draußen",
            "der garten ist voller vögel",
            "die suppe ist viel zu heiß",
            "der lehrer hat eine neue stelle",
            "der zug war wieder verspätet",
            "der winter war sehr lang",
        ),
        "und",
        (
            "niemand kennt den grund",
            "der hund schläft",
            "wir warten noch auf den bus",
        ),
    ),
    "French": (
        (
            "les enfants jouent dehors",
            "le jardin est plein d'oiseaux",
            "la soupe est beaucoup trop chaude",
            "le professeur a un nouvel emploi",
            "le train était encore en retard",
            "l'hiver a été très long",
        ),
        "et",
        (
            "personne ne connaît la raison",
            "le chien dort",
            "nous attendons encore le bus",
        ),
    ),
    "Dutch": (
        (
            "de kinderen spelen buiten",
            "de tuin zit vol vogels",
            "de soep is veel te heet",
            "de leraar heeft een nieuwe baan",
            "de trein was weer te laat",
            "de winter was erg lang",
        ),
        "en",
        (
            "niemand kent de reden",
            "de hond slaapt",
            "we wachten nog op de bus",
        ),
    ),
}


def values(draw):
    begin, end = int(draw.integers(6)), int(draw.integers(3))

    def sentence(language):
        beginnings, conjunction, ends = PARTS[language]
        return f"{beginnings[begin]} {conjunction} {ends[end]}"

    language = str(draw.choice(["German", "French", "Dutch"]))
    return {
        "language": language,
        "sentence": sentence(language),
        "english": sentence("English"),
    }


BOOK = {
    "language": "Dutch",
    "sentence": "het weer is mooi vandaag en we wandelen door de tuin",
    "english": "the weather is fine today and we walk in the garden",
}


def tokens_per_word(sentence, special=0):
    pieces = tokenizer().encode(sentence, add_special_tokens=False).tokens
    return (len(pieces) + special) / len(sentence.split())


def reference(language, sentence, english):
    return [tokens_per_word(english), tokens_per_word(sentence)]


EXERCISE = Exercise(
    title="The price of another language",
    kind="explore",
    difficulty=2,
    minutes=10,
    prompt="""
The vocabulary of MiniLM was learned from English text. How many tokens per word does
its tokenizer need, on average, for this sentence and for its translation?

- English: “{{english}}”
- {{language}}: “{{sentence}}”

Split at spaces to count the words. Count no special tokens (a `WordPiece` alone adds
none). Give two decimals.
""",
    starter="""
from scratch.tokenization import WordPiece
from readymade.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
per_word = ...  # English and {{language}}, such as [1.25, 3.52]
""",
    solution="""
from scratch.tokenization import WordPiece
from readymade.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
per_word = []
for sentence in ["{{english}}", "{{sentence}}"]:
    tokens = tokenizer.tokenize(sentence)
    words = sentence.split()
    per_word.append(len(tokens) / len(words))
""",
    why="""
Every word of the English sentence is frequent enough to be one token. Many words of the
other language are cut into several pieces. Where space, time or money are counted by
the token, the other language costs more, and a text of a given length in tokens says
less. [Petrov et al. (2023)](https://arxiv.org/abs/2305.15425) compare many languages.
""",
    hints=(
        "`sentence.split()` returns the words.",
        "`tokenizer.tokenize(sentence)` returns the tokens, without special ones.",
        "Divide the number of tokens by the number of words.",
    ),
    mistakes="""
You counted `[CLS]` and `[SEP]` among the tokens.
+ per_word = [tokens_per_word(s, 2) for s in (english, sentence)]

Those are words per token. Tokens per word are asked for.
+ per_word = [1 / number for number in right]

Those are letters per token. Tokens per word are asked for.
+ per_word = [
+     len(s.replace(' ', '')) / len(s.split()) / tokens_per_word(s)
+     for s in (english, sentence)
+ ]

Those are the tokens of the whole sentences. Divide by the number of words.
+ per_word = [
+     round(number * len(s.split()))
+     for number, s in zip(right, (english, sentence))
+ ]

These are the right numbers in the wrong order: English comes first.
+ per_word = right[::-1]

You counted `[CLS]` and `[SEP]` for each word. Tokenize the sentence, not its words one
by one with their special tokens.
+ per_word = [number + 2 for number in right]

Those are the additional tokens per word. Count the first one too.
+ per_word = [number - 1 for number in right]

Those are letters per word. Tokens per word are asked for.
+ per_word = [
+     len(s.replace(' ', '')) / len(s.split()) for s in (english, sentence)
+ ]

You divided by the number of spaces. There is one word more than spaces.
+ per_word = [
+     number * len(s.split()) / s.count(' ')
+     for number, s in zip(right, (english, sentence))
+ ]

You counted only different tokens. A token that occurs twice costs twice.
+ per_word = [
+     len({*tokenizer().encode(s, add_special_tokens=False).tokens}) / len(s.split())
+     for s in (english, sentence)
+ ]

Those are characters per token, with the spaces.
+ per_word = [
+     len(s) / (number * len(s.split()))
+     for number, s in zip(right, (english, sentence))
+ ]

Those are characters per word, with the spaces. Tokens per word are asked for.
+ per_word = [len(s) / len(s.split()) for s in (english, sentence)]

English is right. In the other sentence you counted one word too many.
+ words = len(sentence.split())
+ per_word = [right[0], right[1] * words / (words + 1)]

English is right. In the other sentence you counted one word too few.
+ words = len(sentence.split())
+ per_word = [right[0], right[1] * words / (words - 1)]

Those are the numbers of words. Count the tokens as well, and divide.
+ per_word = [len(s.split()) for s in (english, sentence)]

Both of your numbers are the English one.
+ per_word = [right[0], right[0]]

Both of your numbers are those of the other language. English comes first.
+ per_word = [right[1], right[1]]

English is right. In the other sentence you counted the tokens, but did not divide.
+ per_word = [right[0], round(right[1] * len(sentence.split()))]

Those are the shares of the words that are cut. Tokens per word are asked for.
+ per_word = [
+     sum(tokens_per_word(word) > 1 for word in s.split()) / len(s.split())
+     for s in (english, sentence)
+ ]

English is right. In the other sentence you counted only the words that are cut.
+ counts = [tokens_per_word(word) for word in sentence.split()]
+ per_word = [right[0], np.mean([count for count in counts if count > 1])]

You counted one special token among the tokens.
+ per_word = [tokens_per_word(s, 1) for s in (english, sentence)]

You subtracted two special tokens, but the `encode` of a `WordPiece` adds none.
+ per_word = [tokens_per_word(s, -2) for s in (english, sentence)]
""",
    reference=reference,
    values=values,
    book=BOOK,
    tolerance=0.003,
)
