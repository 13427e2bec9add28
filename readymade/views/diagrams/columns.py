"""One stream of vectors, drawn upwards: boxes, sums and residual connections."""

from readymade.views.diagrams.canvas import MUTED

BOX_WIDTH = 260
_BOX_HEIGHT = 46
_GAP = 22  # the length of an arrow between two boxes
_FAN = 34  # of the three arrows into an attention box
_SPREAD = 62  # between those arrows
_AROUND = 24  # from a box to the line around it
_SUM = 20  # the height of a plus sign
SIDE = BOX_WIDTH / 2 + 44  # from the middle of a column to its container's right edge
LEFT = BOX_WIDTH / 2 + 24  # and to its left edge


class Column:
    """The stream at height y, which every step moves upwards."""

    def __init__(self, canvas, x, y=0):
        self.canvas = canvas
        self.x = x
        self.y = y

    def start(self, name, shape):
        """Write the name and shape of the input at the bottom."""
        self.canvas.text(self.x, self.y, name, weight=600)
        self.canvas.text(self.x, self.y + 16, shape, size=11.5, color=MUTED)
        self.y -= 18

    def end(self, name, shape):
        """Write the name and shape of the output at the top."""
        self.arrow()
        self.canvas.text(self.x, self.y - 22, name, weight=600)
        self.canvas.text(self.x, self.y - 6, shape, size=11.5, color=MUTED)
        self.y -= 40

    def arrow(self, length=_GAP):
        """Draw an arrow to the next element."""
        self.canvas.line((self.x, self.y), (self.x, self.y - length))
        self.y -= length

    def box(self, kind, title, detail=None, width=BOX_WIDTH):
        """Draw an arrow and a box above it."""
        self.arrow()
        self.put(kind, title, detail, width)

    def put(self, kind, title, detail, width=BOX_WIDTH, cards=1):
        """Draw a box above arrows that are already drawn."""
        self.y -= _BOX_HEIGHT
        self.canvas.box(self.x, self.y, width, _BOX_HEIGHT, kind, title, detail, cards)

    def self_attention(self, title, detail):
        """Draw an attention box whose query, key and value come from the stream."""
        fork, tip = self.y - 12, self.y - _FAN
        self.canvas.line((self.x, self.y), (self.x, tip))
        for side in (-_SPREAD, _SPREAD):
            self.canvas.line(
                (self.x, fork), (self.x + side, fork), (self.x + side, tip)
            )
        self._name_inputs(tip)
        self.y = tip
        self.put("attention", title, detail)

    def cross_attention(self, title, detail):
        """Draw attention that reads the memory; return where its line arrives."""
        fork, tip = self.y - 18, self.y - _FAN - 6
        right = self.x + _SPREAD
        self.canvas.line(
            (self.x, self.y), (self.x, self.y - 9), (right, self.y - 9), (right, tip)
        )
        entry = (self.x - LEFT, fork)
        self.canvas.line(entry, (self.x, fork), (self.x, tip))
        left = self.x - _SPREAD
        self.canvas.line((left - 20, fork), (left, fork), (left, tip))
        self._name_inputs(tip)
        self.y = tip
        self.put("attention", title, detail)
        return entry

    def _name_inputs(self, tip):
        """Name the three arrows into an attention box; `tip` is their height."""
        for place, name in enumerate(("key", "value", "query")):
            x = self.x + (place - 1) * _SPREAD + 7
            self.canvas.text(x, tip + 14, name, 10.5, color=MUTED, anchor="start")

    def _sum(self):
        """Draw a plus sign on the stream; return the height of its middle."""
        self.arrow()
        self.y -= _SUM
        self.canvas.plus(self.x, self.y + _SUM / 2)
        return self.y + _SUM / 2

    def side_sum(self, title, detail):
        """Draw a sum with the output of a box on the left."""
        middle = self._sum()
        width = LEFT - 38
        at = self.x - LEFT + width / 2
        self.canvas.box(at, middle - 19, width, 38, "embedding", title, detail)
        self.canvas.line((at + width / 2, middle), (self.x - _SUM / 2, middle))
        self.rise(8)

    def residual_sum(self, start):
        """Draw a sum with the stream at height `start`, led around on the right."""
        middle = self._sum()
        right = self.x + BOX_WIDTH / 2 + _AROUND
        self.canvas.line(
            (self.x, start),
            (right, start),
            (right, middle),
            (self.x + _SUM / 2, middle),
        )

    def rise(self, length):
        """Draw a line upwards without an arrow head."""
        self.canvas.line((self.x, self.y), (self.x, self.y - length), head=False)
        self.y -= length

    def contain(self, bottom, label, side):
        """Draw a container down to `bottom`, a label left (-1) or right (1)."""
        top = self.y - 12
        self.canvas.container(self.x - LEFT, top, self.x + SIDE, bottom)
        if label:
            anchor = "end" if side < 0 else "start"
            at = self.x - LEFT - 12 if side < 0 else self.x + SIDE + 12
            middle = (top + bottom) / 2 + 8
            self.canvas.text(at, middle, label, size=22, weight=300, anchor=anchor)
