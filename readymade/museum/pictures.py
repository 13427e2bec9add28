"""Patches, and pictures beside texts: mistakes 48 and 49, of chapter 21."""

from readymade.museum.exhibits import exhibits

PICTURES = exhibits(
    "pictures",
    """
48: patches: a reshape alone, which cuts strips
@torch
- x.permute(0, 2, 4, 1, 3, 5)
+ x
@tensorflow
- tf.transpose(x, (0, 2, 4, 1, 3, 5))
+ x

48: patches: column by column
- 0, 2, 4, 1, 3, 5
+ 0, 4, 2, 1, 3, 5

48: patches: the channels last
- 0, 2, 4, 1, 3, 5
+ 0, 2, 4, 3, 5, 1

48: patches: [CLS] at the end
- [cls, x]
+ [x, cls]

48: patches: no position for [CLS]
@torch
- x = x + self.positions(x).to(x)
+ late = x[:, 1:] + self.positions(x[:, 1:]).to(x)
+             x = torch.cat([x[:, :1], late], 1)
@tensorflow
- x = x + self.positions(x)
+ late = x[:, 1:] + self.positions(x[:, 1:])
+             x = tf.concat([x[:, :1], late], 1)

49: pairs: dot products, not cosines
@torch
- F.normalize(pictures.float(), dim=-1)
+ pictures.float()

- F.normalize(texts.float(), dim=-1)
+ texts.float()
@tensorflow
- tf.math.l2_normalize(pictures, -1, 1e-24)
+ pictures

- tf.math.l2_normalize(texts, -1, 1e-24)
+ texts

49: pairs: one direction twice
@torch
- logits.T, own
+ logits, own
@tensorflow
- tf.transpose(logits)
+ logits

49: pairs: cosines times the temperature
- / temperature
+ * temperature
""",
)
