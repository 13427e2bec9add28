// A panel with axes from `x` and `y`, [lowest, highest] each. What is drawn in it goes into
// `contents`, which cuts it at the panel's edges. A page has one panel.
function plot(x, y, {width, height = 170, xTicks, yTicks, label}) {
  const [left, right, below] = [40, 16, 36];
  const across = value => left + (width - left - right) * (value - x[0]) / (x[1] - x[0]);
  const up = value => 8 + (height - below - 8) * (y[1] - value) / (y[1] - y[0]);
  const contents = draw("g", {"clip-path": "url(#panel)"});
  const written = tick => String(tick).replace("-", "−");
  const picture = draw("svg", {viewBox: `0 0 ${width} ${height}`, width, role: "img"},
    ...yTicks.map(tick => draw("line", {x1: left, x2: width - right, y1: up(tick), y2: up(tick), class: "axis"})),
    ...yTicks.map(tick => draw("text", {x: left - 6, y: up(tick) + 4, "text-anchor": "end"}, written(tick))),
    ...xTicks.map(tick => draw("text", {x: across(tick), y: height - below + 16, "text-anchor": "middle"}, written(tick))),
    draw("text", {x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle"}, label),
    draw("clipPath", {id: "panel"}, draw("rect", {x: left - 1, y: 7, width: width - left - right + 2, height: height - below - 6})),
    contents);
  const path = points => points.map((point, place) =>
    `${place ? "L" : "M"}${across(point[0]).toFixed(1)} ${up(point[1]).toFixed(1)}`).join("");
  const line = (points, kind = "line") => draw("path", {class: kind, fill: "none", d: path(points)});
  const marker = value => line([[value, y[0]], [value, y[1]]], "marker");
  return {picture, contents, line, marker};
}
