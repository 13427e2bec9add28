"""The families of published models that our models can hold."""

from scratch.weights.families import bert, distilbert, gpt2, marian, roberta

# For each `model_type` of a config.json, what makes the Recipe of such a checkpoint.
RECIPES = {
    "bert": bert.recipe,
    "distilbert": distilbert.recipe,
    "gpt2": gpt2.recipe,
    "marian": marian.recipe,
    "roberta": roberta.recipe,
}
