"""Every layer and model, with arguments to build it and inputs to call it."""

from helpers.configs import (
    BERT,
    GPT,
    LLAMA,
    MARIAN,
    OWN_HEADS,
    QWEN2,
    QWEN3,
    READER,
    VIT,
    config,
)
from helpers.frameworks import random

import numpy as np

IDS = np.array([[5, 3, 9, 1, 0], [2, 2, 0, 0, 0]])
SEGMENTS = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]])
REAL = (IDS != 0)[:, None, None]
# hides more than padding, and something else in each row
SEEN = np.array([[1, 1, 0, 1, 0], [1, 0, 1, 0, 0]], bool)[:, None, None]
PAIRS = {"ids": IDS, "attention_mask": SEEN, "segment_ids": SEGMENTS}
X, MEMORY = random(2, 5, 12), random(2, 5, 12, seed=1)
FUSED = {"query": X, "key": MEMORY, "value": MEMORY, "attention_mask": REAL}
FUSED["need_weights"] = False
PICTURES = random(2, 3, 4, 6)

# name: (piece, its arguments, its inputs)
CASES = {
    "one head": ("AttentionHead", (12, 4, 5), (X, MEMORY, MEMORY, REAL)),
    "heads": ("MultiHeadAttention", (12, 3), (X, MEMORY, MEMORY, REAL)),
    "heads, fused": ("MultiHeadAttention", (12, 3, 0.0, 5, 2), FUSED),
    "grouped queries": ("GroupedQueryAttention", (LLAMA,), (X, X, X, REAL)),
    "grouped queries, fused": ("GroupedQueryAttention", (QWEN2, False), FUSED),
    "swiglu": ("GatedFeedForward", (LLAMA,), (X,)),
    "relu": ("FeedForward", (12, 20), (X,)),
    "gelu": ("FeedForward", (12, 20, "gelu"), (X,)),
    "gelu_tanh": ("FeedForward", (12, 20, "gelu_tanh"), (X,)),
    "silu": ("FeedForward", (12, 20, "silu"), (X,)),
    "patches": ("PatchEmbeddings", (VIT, 2, 3), (PICTURES,)),
    "patches, scaled": ("PatchEmbeddings", (READER, 2, 3), (PICTURES,)),
    "sinusoids": ("SinusoidalPositions", (12, 9), (IDS,)),
    "sinusoids in halves": ("SinusoidalPositions", (12, 9, False), (IDS,)),
    "learned positions": ("LearnedPositions", (12, 9), (IDS,)),
    "token positions": ("TokenPositions", (12, 9, 0), (IDS,)),
    "embeddings": ("Embeddings", (config(),), (IDS,)),
    "embeddings of BERT": ("Embeddings", (BERT,), (IDS, SEGMENTS)),
    "encoder layer, post-LN": ("EncoderLayer", (config(),), (X, REAL)),
    "encoder layer, pre-LN": ("EncoderLayer", (GPT,), (X, REAL)),
    "encoder": ("Encoder", (OWN_HEADS,), (IDS,)),
    "encoder of BERT": ("Encoder", (BERT,), {"ids": IDS, "segment_ids": SEGMENTS}),
    "pooler": ("Pooler", (BERT,), (X,)),
    "decoder layer, post-LN": ("DecoderLayer", (config(),), (X, MEMORY, REAL)),
    "decoder layer, pre-LN": (
        "DecoderLayer",
        (GPT,),
        {"x": X, "memory": MEMORY, "memory_mask": REAL},
    ),
    "decoder": ("Decoder", (OWN_HEADS,), (np.minimum(IDS, 6), MEMORY)),
    "logits": ("TokenLogits", (OWN_HEADS, None), (X,)),
    "GPT-2": ("CausalLanguageModel", (GPT,), (IDS,)),
    "GPT-2 with a mask": ("CausalLanguageModel", (GPT,), (IDS, SEEN)),
    "Llama": ("CausalLanguageModel", (LLAMA,), (IDS,)),
    "Llama with a mask": ("CausalLanguageModel", (LLAMA,), (IDS, SEEN)),
    "Qwen2": ("CausalLanguageModel", (QWEN2,), (IDS,)),
    "Qwen3, slowed": ("CausalLanguageModel", (QWEN3,), (IDS,)),
    "Llama's layers as an encoder": ("Encoder", (LLAMA,), (IDS,)),
    "Llama's layers as a translator": ("Transformer", (QWEN2,), (IDS, IDS[:, :4])),
    "Transformer": ("Transformer", (config(),), (IDS, IDS[:, :4])),
    "Transformer, pre-LN": ("Transformer", (GPT,), (IDS, IDS[:, :4])),
    "Marian": ("Transformer", (MARIAN,), (IDS, IDS[:, :4])),
    "two languages": ("Transformer", (OWN_HEADS,), (IDS, np.minimum(IDS, 6))),
    "classifier of tokens": ("TokenClassifier", (BERT, 3), PAIRS),
    "classifier": ("SequenceClassifier", (BERT, 3), PAIRS),
    "classifier without pooler": ("SequenceClassifier", (config(), 3), (IDS,)),
    "masked words": ("MaskedLanguageModel", (BERT,), PAIRS),
    "masked words, silu": ("MaskedLanguageModel", (MARIAN,), (IDS, SEEN)),
    "masked words at places": (
        "MaskedLanguageModel",
        (BERT,),
        {"ids": IDS, "places": np.array([[3, 1, 0], [0, 4, 4]])},
    ),
    "next sentence": ("NextSentence", (BERT,), PAIRS),
    "spans": ("SpanExtractor", (config(),), (IDS,)),
    "spans of BERT": ("SpanExtractor", (BERT,), PAIRS),
}


def call(layer, inputs, framework):
    """Call a layer with its inputs, in order or by name; return a list of tensors."""
    inputs = framework.tensors(inputs)
    result = layer(**inputs) if isinstance(inputs, dict) else layer(*inputs)
    return flat(result)


def flat(result):
    if isinstance(result, (list, tuple)):
        return [one for item in result for one in flat(item)]
    return [] if result is None else [result]
