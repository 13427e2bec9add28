// A drawing becomes 64 numbers, as the digits of the data did: cropped, scaled to a bitmap
// of 32 × 32, in whose blocks of 4 × 4 the black pixels are counted.

export const SIDE = 8, INK = 16; // blocks on a side, and pixels in a block
const BLOCK = 4, PIXELS = SIDE * BLOCK;
const PEN = 5; // pixels wide: then a drawing has as much ink as the data
const SMALLEST = 5; // of the box's 100

const corners = strokes => [0, 1].map(axis => {
  const all = strokes.flat().map(point => point[axis]);
  return [Math.min(...all), Math.max(...all)];
});

export const isDot = strokes =>
  corners(strokes).every(([low, high]) => high - low < SMALLEST);

export const isWide = strokes => {
  const [width, height] = corners(strokes).map(([low, high]) => high - low);
  return width > 1.2 * height;
};

// Strokes, lists of points [x, y] → 1 for each pixel whose centre the pen touches. Drawn
// anew at the bitmap's size, all lines are as wide, however large they were drawn.
export function bitmapOf(strokes) {
  const [across, down] = corners(strokes), bitmap = new Uint8Array(PIXELS * PIXELS);
  const largest = Math.max(across[1] - across[0], down[1] - down[0]);
  const place = (value, [low, high]) =>
    PIXELS / 2 + (value - (low + high) / 2) * (PIXELS - PEN) / largest;
  for (const stroke of strokes) {
    const points = stroke.map(([x, y]) => [place(x, across), place(y, down)]);
    points.forEach((end, i) => {
      const [x, y] = points[Math.max(i - 1, 0)], [dx, dy] = [end[0] - x, end[1] - y];
      for (let pixel = 0; pixel < bitmap.length; pixel++) {
        const px = pixel % PIXELS + 0.5 - x, py = Math.floor(pixel / PIXELS) + 0.5 - y;
        const along = (px * dx + py * dy) / (dx * dx + dy * dy || 1);
        const t = Math.min(1, Math.max(0, along)); // the line's nearest point
        if (Math.hypot(px - t * dx, py - t * dy) <= PEN / 2) bitmap[pixel] = 1;
      }
    });
  }
  return bitmap;
}

// The black pixels of each block, from 0 to 16.
export function counted(bitmap) {
  const counts = Array(SIDE * SIDE).fill(0);
  bitmap.forEach((black, pixel) => {
    const line = Math.floor(pixel / PIXELS), column = pixel % PIXELS;
    counts[Math.floor(line / BLOCK) * SIDE + Math.floor(column / BLOCK)] += black;
  });
  return counts;
}
