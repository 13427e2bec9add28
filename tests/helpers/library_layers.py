"""PyTorch's own Transformer layers with the weights of ours."""

import torch


def copy_attention(library, ours):
    """Copy the weights of our MultiHeadAttention into an nn.MultiheadAttention."""
    with torch.no_grad():
        for name in ("weight", "bias"):
            parts = [getattr(part, name) for part in (ours.query, ours.key, ours.value)]
            getattr(library, f"in_proj_{name}").copy_(torch.cat(parts))
            getattr(library.out_proj, name).copy_(getattr(ours.projection, name))


def copy_layer(library, ours):
    """Copy the weights of our layer into PyTorch's encoder or decoder layer."""
    copy_attention(library.self_attn, ours.self_attention)
    norms = [ours.self_attention_norm, ours.feed_forward_norm]
    if hasattr(library, "multihead_attn"):
        copy_attention(library.multihead_attn, ours.cross_attention)
        norms.insert(1, ours.cross_attention_norm)
    for number, norm in enumerate(norms, start=1):
        getattr(library, f"norm{number}").load_state_dict(norm.norm.state_dict())
    library.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
    library.linear2.load_state_dict(ours.feed_forward.contract.state_dict())


def library_stack(kind, ours, config):
    """Return an nn.TransformerEncoder or -Decoder with the weights of our stack.

    kind: "Encoder" or "Decoder"; ours: an Encoder or Decoder of scratch.torch.
    """
    layer = getattr(torch.nn, f"Transformer{kind}Layer")(
        config.d_model,
        config.num_heads,
        config.d_ff,
        dropout=0.0,
        activation=config.activation,
        layer_norm_eps=config.layer_norm_eps,
        batch_first=True,
        norm_first=config.norm_first,
    )
    norm = None
    if config.norm_first:
        norm = torch.nn.LayerNorm(config.d_model, config.layer_norm_eps)
        norm.load_state_dict(ours.norm.state_dict())
    # Its fast path for padding is not compared, and would warn.
    faster = {"enable_nested_tensor": False} if kind == "Encoder" else {}
    stack = getattr(torch.nn, f"Transformer{kind}")(
        layer, len(ours.layers), norm, **faster
    )
    for library, our_layer in zip(stack.layers, ours.layers, strict=True):
        copy_layer(library, our_layer)
    return stack.train()
