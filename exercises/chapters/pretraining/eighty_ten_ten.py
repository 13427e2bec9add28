"""Predict what masking makes of the tokens of a corpus."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "tokens": 2000 * int(draw.integers(11, 90)),
        "percent": int(draw.choice([10, 15, 25, 30, 40])),
    }


def reference(tokens, percent):
    targets = tokens * percent // 100
    changed = targets * 9 // 10
    return [targets, targets * 8 // 10, targets // 10, tokens - changed]


EXACT = "All of them divide without a remainder."

EXERCISE = Exercise(
    title="What the model gets to read",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A corpus has {{tokens}} tokens, not counting the special ones. You choose
**{{percent}} %** of them and treat those as BERT does: 80 % become `[MASK]`, 10 %
become a random token, and 10 % stay as they are. How many of the corpus's tokens

1. count in the loss,
2. are replaced by `[MASK]`,
3. are replaced by a random token,
4. are read by the model as they were written?

Assume that a random token is never the one that it replaces.
""",
    starter="""
counts = ...  # four whole numbers, such as [1, 2, 3, 4]
""",
    solution="""
tokens = {{tokens}}
targets = tokens * {{percent}} // 100
masks = targets * 80 // 100
others = targets * 10 // 100
counts = [targets, masks, others, tokens - masks - others]
""",
    why="""
The loss is computed at every chosen token, whichever of the three things happened to
it. All tokens that were not chosen are read as they were written, and so is one chosen
token in ten. The model cannot tell these two kinds apart, and it isn't told which token
is a random one. It therefore has to have an opinion on every token, not only where it
reads `[MASK]`.
""",
    hints=(
        "The three percentages are shares of the chosen tokens, not of the corpus.",
        "A chosen token counts in the loss even if it stays as it is.",
        "Two kinds of token are read as they were written: those that were not chosen, "
        "and a tenth of those that were.",
    ),
    mistakes="""
The whole corpus is divided into 80, 10 and 10 %. Only the chosen tokens are.
- targets = tokens * {{percent}} // 100
+ targets = tokens

The first number is right. The other three are shares of the whole corpus instead of
shares of the chosen tokens.
- masks = targets
+ masks = tokens
- others = targets
+ others = tokens

Only `[MASK]` counts in your loss. All chosen tokens do.
- counts = [targets
+ counts = [masks

Tokens that stay as they are do not count in your loss. If they were chosen, they do.
- counts = [targets
+ counts = [masks + others

Kept tokens do not count in your loss, and the fourth number holds only those. Kept
tokens count if they were chosen, and all that were not chosen are read as well.
- counts = [targets
+ counts = [masks + others
- tokens - masks - others]
+ others]

Every token counts in your loss. Only the chosen ones do.
- counts = [targets
+ counts = [tokens

The fourth number leaves out the tokens that were not chosen. They are read as they were
written, too.
- tokens - masks - others]
+ others]

The fourth number leaves out the chosen tokens that stay as they are.
- tokens - masks - others]
+ tokens - targets]

The fourth number counts the random tokens as if they were right.
- tokens - masks - others]
+ tokens - masks]

The fourth number counts the hidden tokens as if they could still be read.
- tokens - masks - others]
+ tokens - others]

The fourth number is all tokens of the corpus. Which of them have been replaced?
- tokens - masks - others]
+ tokens]

Every chosen token becomes `[MASK]`. Only 80 % of them do.
- targets * 80 // 100
+ targets
- targets * 10 // 100
+ 0

Random tokens are 10 % of the chosen ones, not 20 %: the rest stay as they are.
- targets * 10 // 100
+ targets * 20 // 100

You took 10 % of what `[MASK]` left. All three percentages are of the chosen tokens.
- targets * 10 // 100
+ (targets - masks) * 10 // 100

You counted the tokens that were not chosen as the chosen ones.
- tokens * {{percent}} // 100
+ tokens * (100 - {{percent}}) // 100

Those are percentages. The numbers of tokens are asked for.
- counts = [targets, masks, others, tokens - masks - others]
+ counts = [{{percent}}, 80, 10, 10]

Those are fractions of the corpus. The numbers of tokens are asked for.
- counts = [targets, masks, others, tokens - masks - others]
+ counts = [n / tokens for n in (targets, masks, others, tokens - masks - others)]

The third and the fourth number have changed places.
- others, tokens - masks - others]
+ tokens - masks - others, others]

Random and hidden tokens have changed places: 80 % become `[MASK]`.
- masks, others, tokens
+ others, masks, tokens

Those are percents of the corpus. Count its tokens.
- [targets, masks, others, tokens - masks - others]
+ [
+     100 * number / tokens
+     for number in (targets, masks, others, tokens - masks - others)
+ ]

You count the tokens that were not chosen in the loss. The chosen ones are counted.
- counts = [targets
+ counts = [tokens - targets
""",
    reference=reference,
    values=values,
    equivalent={
        "targets = tokens * 30 / 100": EXACT,
        "masks = targets * 80 / 100": EXACT,
        "others = targets * 10 / 100": EXACT,
    },
)
