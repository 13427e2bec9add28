"""One stream of vectors, drawn upwards: boxes, sums and ways around them."""

from scratch.views.canvas import MUTED

BOX_WIDTH = 260
_BOX_HEIGHT = 46
_GAP = 22  # the length of an arrow between two boxes
_FAN = 34  # of the three arrows into an attention box
_SPREAD = 62  # between those arrows
_AROUND = 24  # from a box to the line around it
_SUM = 20  # the height of the sign of a sum
SIDE = BOX_WIDTH / 2 + 44  # from the middle of a column to its container's right edge
LEFT = BOX_WIDTH / 2 + 24  # and to its left edge


class Column:
    """The stream at height y, which every step moves upwards."""

    def __init__(self, canvas, x, y=0):
        self.canvas = canvas
        self.x = x
        self.y = y

    def start(self, name, shape):
        """Write what comes in at the bottom."""
        self.canvas.text(self.x, self.y, name, weight=600)
        self.canvas.text(self.x, self.y + 16, shape, size=11.5, color=MUTED)
        self.y -= 18

    def end(self, name, shape):
        """Write what comes out at the top."""
        self.arrow()
        self.canvas.text(self.x, self.y - 22, name, weight=600)
        self.canvas.text(self.x, self.y - 6, shape, size=11.5, color=MUTED)
        self.y -= 40

    def arrow(self, length=_GAP):
        """Let the stream rise into what comes next."""
        self.canvas.line((self.x, self.y), (self.x, self.y - length))
        self.y -= length

    def box(self, kind, title, detail=None, width=BOX_WIDTH):
        """Put a box on the stream."""
        self.arrow()
        self.put(kind, title, detail, width)

    def put(self, kind, title, detail, width=BOX_WIDTH, cards=1):
        """Put a box where the stream's arrows already end."""
        self.y -= _BOX_HEIGHT
        self.canvas.box(self.x, self.y, width, _BOX_HEIGHT, kind, title, detail, cards)

    def self_attention(self, title, detail):
        """Put a box that takes query, key and value from the stream."""
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
        """Put a box that takes its query from the stream, key and value from memory.

        Returns: the point where the line of the memory must arrive.
        """
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
        """Name the three arrows into an attention box, whose tips are at height tip."""
        for place, name in enumerate(("key", "value", "query")):
            x = self.x + (place - 1) * _SPREAD + 7
            self.canvas.text(x, tip + 14, name, 10.5, color=MUTED, anchor="start")

    def _sum(self):
        """Put the sign of a sum on the stream; return its height."""
        self.arrow()
        self.y -= _SUM
        self.canvas.plus(self.x, self.y + _SUM / 2)
        return self.y + _SUM / 2

    def side_sum(self, title, detail):
        """Add what a box at the left gives."""
        middle = self._sum()
        width = LEFT - 38
        at = self.x - LEFT + width / 2
        self.canvas.box(at, middle - 19, width, 38, "embedding", title, detail)
        self.canvas.line((at + width / 2, middle), (self.x - _SUM / 2, middle))
        self.rise(8)

    def residual_sum(self, start):
        """Add what the stream was at height `start`, led around on the right."""
        middle = self._sum()
        right = self.x + BOX_WIDTH / 2 + _AROUND
        self.canvas.line(
            (self.x, start),
            (right, start),
            (right, middle),
            (self.x + _SUM / 2, middle),
        )

    def rise(self, length):
        """Let the stream run on without an arrow head."""
        self.canvas.line((self.x, self.y), (self.x, self.y - length), head=False)
        self.y -= length

    def contain(self, bottom, label, side):
        """Frame what was drawn since the stream was at `bottom`.

        label: written beside the frame; side: -1 for left, 1 for right.
        """
        top = self.y - 12
        self.canvas.container(self.x - LEFT, top, self.x + SIDE, bottom)
        if label:
            anchor = "end" if side < 0 else "start"
            at = self.x - LEFT - 12 if side < 0 else self.x + SIDE + 12
            middle = (top + bottom) / 2 + 8
            self.canvas.text(at, middle, label, size=22, weight=300, anchor=anchor)
