"""Tiny random models of `transformers`, saved to folders like published ones.

Sizes differ on every axis, so that a mix-up shows. Attention is "eager", the only kind
that returns its weights.
"""

import torch
import transformers

SIZES = {"vocab_size": 61, "attn_implementation": "eager"}
BERT_SIZES = {
    **SIZES,
    "hidden_size": 24,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "max_position_embeddings": 20,
    "layer_norm_eps": 0.01,
    "hidden_dropout_prob": 0.3,
}
DISTILBERT_SIZES = {
    **SIZES,
    "dim": 24,
    "n_heads": 3,
    "hidden_dim": 40,
    "n_layers": 2,
    "max_position_embeddings": 20,
    "dropout": 0.3,
}
GPT2_SIZES = {
    **SIZES,
    "n_embd": 24,
    "n_head": 3,
    "n_layer": 2,
    "n_positions": 20,
    "layer_norm_epsilon": 0.01,
    "resid_pdrop": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MARIAN_SIZES = {
    **SIZES,
    "d_model": 24,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "max_position_embeddings": 20,
    "dropout": 0.3,
    "activation_function": "swish",
    "scale_embedding": True,
    "pad_token_id": 60,
    "decoder_start_token_id": 60,
    "eos_token_id": 0,
    "forced_eos_token_id": None,
}
LLAMA_SIZES = {
    **SIZES,
    "hidden_size": 24,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "max_position_embeddings": 20,
    "rms_norm_eps": 0.01,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
    "attention_dropout": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
# Of four pairs of numbers, one keeps its speed, one is in between, two are slowed down.
SLOWED = {
    "rope_parameters": {
        "rope_type": "llama3",
        "rope_theta": 500.0,
        "factor": 4.0,
        "low_freq_factor": 0.2,
        "high_freq_factor": 1.0,
        "original_max_position_embeddings": 20,
    }
}
VIT_SIZES = {
    "attn_implementation": "eager",
    "hidden_size": 24,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "image_size": 8,
    "patch_size": 2,
    "num_channels": 3,
    "layer_norm_eps": 0.01,
    "hidden_dropout_prob": 0.3,
}
FAMILIES = {
    "Bert": (transformers.BertConfig, {**BERT_SIZES, "type_vocab_size": 2}),
    "DistilBert": (transformers.DistilBertConfig, DISTILBERT_SIZES),
    "Roberta": (
        transformers.RobertaConfig,
        {**BERT_SIZES, "type_vocab_size": 1, "pad_token_id": 3},
    ),
    "XLMRoberta": (
        transformers.XLMRobertaConfig,
        {**BERT_SIZES, "type_vocab_size": 1, "pad_token_id": 1},
    ),
    "GPT2": (transformers.GPT2Config, GPT2_SIZES),
    "Llama": (transformers.LlamaConfig, {**LLAMA_SIZES, "head_dim": 6}),
    "Marian": (transformers.MarianConfig, MARIAN_SIZES),
    "Mistral": (transformers.MistralConfig, {**LLAMA_SIZES, "sliding_window": 15}),
    "Qwen2": (transformers.Qwen2Config, {**LLAMA_SIZES, "tie_word_embeddings": True}),
    "ViT": (transformers.ViTConfig, VIT_SIZES),
    "Qwen3": (transformers.Qwen3Config, {**LLAMA_SIZES, "head_dim": 8, **SLOWED}),
}


def config_of(architecture):
    """Return a config of the family that an architecture's name begins with."""
    family = next(family for family in FAMILIES if architecture.startswith(family))
    kind, sizes = FAMILIES[family]
    if architecture.endswith("Classification"):
        sizes = {**sizes, "num_labels": 5}
    return kind(**sizes)


def random_model(architecture, **options):
    """Return a model of `transformers` without weights of 0 and 1, which hide mistakes.

    With this seed and size of numbers, greedy search finds more than one token.
    """
    torch.manual_seed(23)
    config = config_of(architecture)
    model = getattr(transformers, architecture)(config, **options).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue  # sinusoids, not weights
            is_gain = parameter.ndim == 1 and name.endswith("weight")
            parameter.normal_(std=1 if is_gain else 0.3)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(std=0.3)
    return model


def save(architecture, folder):
    """Save a random model to a folder and return it."""
    model = random_model(architecture)
    model.save_pretrained(folder)
    return model
