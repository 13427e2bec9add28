"""ViT (Dosovitskiy et al. 2021): an encoder of pictures, pre-LN."""

import math
from dataclasses import dataclass, replace

from readymade.weights.families.family import (
    Family,
    Head,
    Setting,
    architecture,
    flag,
    integer,
)
from readymade.weights.rules import ONE_BATCH, Rule, kernel, within


@dataclass(frozen=True)
class PictureFamily(Family):
    """A family whose models read pictures: how large, and in what patches.

    `image_size`, `patch_size` and `num_channels` of a config.json are no fields of our
    config, but for the number of positions: they are what PatchEmbeddings are built
    with.
    """

    def recipe(self, settings, names):
        """Return the Recipe for a config.json and the names of its tensors."""
        settings = self.defaults | settings
        head = self.heads[architecture(settings, self.heads)]
        size, *others = {*pair(settings, "patch_size")}
        if others:
            raise ValueError(f"patch_size is {settings['patch_size']}: wanted a square")
        height, width = pair(settings, "image_size")
        if height % size or width % size:
            raise ValueError(
                f"image_size is {settings['image_size']}: wanted what {size}, the "
                "patch_size, divides"
            )
        channels = integer(settings, "num_channels")
        places = 1 + height // size * (width // size)
        projection = "embeddings.patch_embeddings.projection"
        patches = [
            Rule(
                f"{projection}.weight",
                "embeddings.projection.weight",
                kernel(channels, size),
            ),
            Rule(f"{projection}.bias", "embeddings.projection.bias"),
        ]
        sized = replace(
            self,
            fields=self.fields | {"max_len": places},
            rules=[*patches, *self.rules],
        )
        recipe = Family.recipe(sized, settings, names if head.bare else ())
        return replace(recipe, patches=(size, channels, (height, width)))


def pair(settings, name):
    """Return a setting that is an integer, or a list of two: (height, width)."""
    value = settings[name]
    sizes = value if isinstance(value, list) else [value] * 2
    if len(sizes) != 2:
        raise ValueError(f"{name} is {value}: wanted a number, or height and width")
    return tuple(integer({name: one}, name) for one in sizes)


def picture_settings(config, processor, size, channels, picture_size):
    """Return the settings of config.json that say how large pictures and patches are.

    ValueError if the processor is for others; where nothing says how large pictures
    are, they are squares.
    """
    side = math.isqrt(config.max_len - 1)
    if processor is not None:
        if len(processor.mean) != channels:
            given = len(processor.mean)
            raise ValueError(
                f"mean has {given} numbers: wanted {channels}, as channels"
            )
        if picture_size and tuple(picture_size) != processor.size:
            raise ValueError(
                f"size is {processor.size}: wanted {picture_size}, the model's"
            )
        picture_size = processor.size
    if picture_size is not None:
        height, width = picture_size
    elif side**2 + 1 == config.max_len:
        height = width = size * side
    else:
        raise ValueError(
            f"max_len is {config.max_len}: wanted 1 more than a square number of "
            "patches, a picture_size, or a PictureProcessor, which has one"
        )
    return {
        "image_size": height if height == width else [height, width],
        "patch_size": size,
        "num_channels": channels,
    }


def read_qkv_bias(settings, name):
    """Return False for queries, keys and values without biases; None for the same."""
    return None if flag(settings, name) else False


def write_qkv_bias(config, name):
    """Return whether queries, keys and values have biases."""
    return config.bias if config.qkv_bias is None else config.qkv_bias


SETTINGS = [
    Setting("hidden_size", "d_model"),
    Setting("num_attention_heads", "num_heads"),
    Setting("intermediate_size", "d_ff"),
    Setting("num_hidden_layers", "num_layers"),
    Setting("hidden_dropout_prob", "dropout"),
    Setting("hidden_act", "activation"),
    Setting("layer_norm_eps", "layer_norm_eps"),
    Setting("qkv_bias", "qkv_bias", read_qkv_bias, write_qkv_bias),
]
# As in published files, and below as `transformers` 5 names the same.
LAYER = [
    Rule("layernorm_before", "self_attention_norm.norm"),
    Rule("attention.attention.query", "self_attention.query"),
    Rule("attention.attention.key", "self_attention.key"),
    Rule("attention.attention.value", "self_attention.value"),
    Rule("attention.output.dense", "self_attention.projection"),
    Rule("layernorm_after", "feed_forward_norm.norm"),
    Rule("intermediate.dense", "feed_forward.expand"),
    Rule("output.dense", "feed_forward.contract"),
]
NEW_LAYER = [
    Rule("layernorm_before", "self_attention_norm.norm"),
    Rule("attention.q_proj", "self_attention.query"),
    Rule("attention.k_proj", "self_attention.key"),
    Rule("attention.v_proj", "self_attention.value"),
    Rule("attention.o_proj", "self_attention.projection"),
    Rule("layernorm_after", "feed_forward_norm.norm"),
    Rule("mlp.fc1", "feed_forward.expand"),
    Rule("mlp.fc2", "feed_forward.contract"),
]
VIT = PictureFamily(
    kind="vit",
    prefix="vit.",
    place="encoder",
    pooler="tanh",
    tokenizer="ViTImageProcessor",
    settings=SETTINGS,
    defaults={
        "hidden_dropout_prob": 0.0,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "image_size": 224,
        "patch_size": 16,
        "num_channels": 3,
        "qkv_bias": True,
    },
    required={"pooler_act": "tanh"},
    copies={"attention_probs_dropout_prob": "dropout"},
    fields={
        "vocab_size": None,
        "pad_id": None,
        "positions": "learned",
        "scale_embeddings": False,
        "norm_first": True,
    },
    rules=[
        Rule("embeddings.cls_token", "embeddings.cls"),
        Rule(
            "embeddings.position_embeddings",
            "embeddings.positions.table.weight",
            ONE_BATCH,
        ),
        *within("encoder.layer.{}", "layers.{}", LAYER),
        *within("layers.{}", "layers.{}", NEW_LAYER),
        Rule("layernorm", "norm"),
        Rule("pooler.dense", "pooler.dense"),
    ],
    heads={
        "ViTModel": Head("Encoder", bare=True),
        "ViTForImageClassification": Head(
            "SequenceClassifier",
            [Rule("classifier", "classifier")],
            drops={"pooler.dense": "from pretraining; the classifier reads [CLS]"},
        ),
    },
    drops={"embeddings.mask_token": "for pretraining with hidden patches"},
)
