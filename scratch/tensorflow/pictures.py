"""Pictures as tokens: patches, and pictures beside texts."""

from scratch.checks import (
    require_height_and_width,
    require_pairs,
    require_pictures,
    require_segments,
    require_temperature,
    require_tiles,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_new_linear
from scratch.tensorflow.embeddings import tf_positions_from

import keras
import tensorflow as tf


def tf_patches(pictures: tf.Tensor, size: int) -> tf.Tensor:
    """Patches: pictures cut into squares, a row for each.

    Otherwise as `scratch.torch.patches`.
    """
    require_tiles("pictures", pictures, size)
    _, channels, height, width = pictures.shape
    rows, columns = height // size, width // size
    x = tf.reshape(
        pictures, (-1, channels, rows, size, columns, size)
    )
    # (batch, rows, columns, channels, size, size)
    x = tf.transpose(x, (0, 2, 4, 1, 3, 5))
    length = channels * size * size
    return tf.reshape(x, (-1, rows * columns, length))


class TFPatchEmbeddings(keras.layers.Layer):
    """Embeddings of patches: [CLS], patches and positions.

    Otherwise as `scratch.torch.PatchEmbeddings`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        size: int,
        channels: int = 1,
        picture_size: tuple[int, int] | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        require_height_and_width(
            "picture_size", picture_size, or_none=True
        )
        d_model = config.d_model
        scale = config.scale_embeddings
        self.scale = d_model**0.5 if scale else 1.0
        self.size, self.channels = size, channels
        self.picture_size = picture_size
        self.projection = tf_new_linear(
            channels * size * size, d_model
        )
        self.cls = self.add_weight(
            shape=(1, 1, d_model), initializer="zeros"
        )
        self.positions = tf_positions_from(config)
        self.dropout = keras.layers.Dropout(config.dropout)

    def call(
        self, pictures: tf.Tensor, segment_ids: None = None
    ) -> tf.Tensor:
        require_pictures(
            "pictures",
            pictures,
            self.channels,
            self.picture_size,
        )
        require_segments(segment_ids, None, pictures)
        # x = √d_model · [CLS; patch₁ E; …] + positions
        x = self.projection(tf_patches(pictures, self.size))
        cls = tf.repeat(self.cls, tf.shape(x)[0], 0)
        x = tf.concat([cls, x], 1) * self.scale
        if self.positions is not None:
            x = x + self.positions(x)
        return self.dropout(x)  # (batch, length, d_model)


def tf_contrastive_loss(
    pictures: tf.Tensor,
    texts: tf.Tensor,
    temperature: float | tf.Tensor,
) -> tf.Tensor:
    """Contrastive loss: which text belongs to a picture,
    which picture to a text, among those of the batch.

    Otherwise as `scratch.torch.contrastive_loss`.
    """
    require_pairs(pictures, texts)
    require_temperature(temperature)
    pictures = tf.cast(pictures, tf.float32)
    texts = tf.cast(texts, tf.float32)
    # the smallest square: that of PyTorch's smallest norm
    pictures = tf.math.l2_normalize(pictures, -1, 1e-24)
    texts = tf.math.l2_normalize(texts, -1, 1e-24)
    # logits = cosine(picture, text) / temperature
    logits = tf.matmul(pictures, texts, transpose_b=True)
    logits = logits / temperature
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits
    own = tf.range(tf.shape(logits)[0])
    text = tf.reduce_mean(loss(own, logits))
    picture = tf.reduce_mean(loss(own, tf.transpose(logits)))
    return (text + picture) / 2
