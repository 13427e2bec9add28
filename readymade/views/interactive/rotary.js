// Rotary positions: the arrows of a query and a key, turned by their positions.
const {d_k, bases, max_len, at, drawn} = DATA;
const RADIUS = 30, HALF = RADIUS + 4;
let base = DATA.base;
let together = false;

// Equation (14.3): the angle of pair i at one position, in radians.
const speed = i => base ** (-2 * i / d_k);
const cosines = distance => Array.from({length: d_k / 2}, (_, i) => Math.cos(distance * speed(i)));
const score = distance => cosines(distance).reduce((sum, cosine) => sum + cosine, 0) / (d_k / 2);
const signed = (value, digits) => value.toFixed(digits).replace("-", "−");

function arrow(angle, kind) {
  const [x, y] = [RADIUS * Math.cos(angle), -RADIUS * Math.sin(angle)];
  return draw("g", {class: kind},
    draw("line", {x1: 0, y1: 0, x2: x, y2: y, class: kind === "query" ? "query" : "line"}),
    draw("path", {d: "M0 0L-9 -4L-9 4Z", class: kind === "query" ? "chosen" : "sine", "stroke-width": 0,
      transform: `translate(${x} ${y}) rotate(${-angle * 180 / Math.PI})`}));
}

// A pair: its circle with the two arrows, and below it what they mean.
const pairs = drawn.map(i => {
  const contents = draw("g"), told = make("span");
  const picture = draw("svg", {viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, width: 2 * HALF, role: "img"},
    draw("circle", {r: RADIUS, fill: "none", class: "axis"}), contents);
  return {i, contents, told, picture, block: make("div", {}, make("strong", {}, `pair ${i}`), picture, told)};
});
for (const {block, told} of pairs) {
  block.style.width = "68px";
  told.style.cssText = "display: block; white-space: pre-line; font-size: 11px; line-height: 1.3";
}

const curve = plot([1 - max_len, max_len - 1], [-0.5, 1], {width: figure.clientWidth, height: 190,
  xTicks: [-max_len, -max_len / 2, 0, max_len / 2, max_len].map(tick => Math.sign(tick) * Math.min(Math.abs(tick), max_len - 1)),
  yTicks: [-0.5, 0, 0.5, 1], label: "distance m − n (tokens)"});
const summary = make("p", {role: "status"});

function update() {
  const distance = at.query - at.key;
  for (const {i, contents, told, picture} of pairs) {
    const turn = 2 * Math.PI / speed(i);
    contents.replaceChildren(arrow(at.key * speed(i), "key"), arrow(at.query * speed(i), "query"));
    told.textContent = `cos ${signed(Math.cos(distance * speed(i)), 2)}\n` +
      `turn ${turn < 100 ? turn.toFixed(1) : Math.round(turn).toLocaleString("en")}`;
    picture.ariaLabel = `Pair ${i}: the query has made ${(at.query / turn).toFixed(2)} turns, the key ${(at.key / turn).toFixed(2)}.`;
  }
  const points = Array.from({length: 2 * max_len - 1}, (_, place) => [place + 1 - max_len, score(place + 1 - max_len)]);
  curve.contents.replaceChildren(curve.line(points), curve.marker(distance));
  curve.picture.ariaLabel = `The score at distance ${distance} is ${signed(score(distance), 2)}.`;
  summary.textContent = `Distance ${signed(distance, 0)}, score ${signed(score(distance), 2)}: ` +
    `the mean of the cosines of all ${d_k / 2} pairs.`;
}

const sliders = {};
function move(name, value) {
  const other = name === "query" ? "key" : "query", by = value - at[name];
  at[name] = value;
  if (together && by) {
    const wanted = at[other] + by;
    at[other] = Math.max(0, Math.min(max_len - 1, wanted));
    at[name] += at[other] - wanted; // no further than the other can follow
    for (const one of [other, name]) put(sliders[one], at[one]);
  }
  update();
}
for (const [name, label] of [["query", "query at m ="], ["key", "key at n ="]]) {
  sliders[name] = slider(label, {min: 0, max: max_len - 1, step: 1, value: at[name]}, String, value => move(name, value));
}

const row = make("div", {className: "row"}, ...pairs.map(({block}) => block));
row.style.cssText = "gap: 8px 5px; margin-bottom: 8px";
for (const label of Object.values(sliders)) label.className = "wide";
figure.append(
  make("div", {className: "controls"}, sliders.query, sliders.key,
    toggle("move both together", false, pressed => together = pressed),
    menu("base", bases.map(one => one.toLocaleString("en")), bases.indexOf(base), place => {
      base = bases[place];
      update();
    })),
  summary,
  row,
  make("p", {}, "Arrows: the query (orange) and the key (blue). cos: the cosine of the angle between them. " +
    "turn: the positions of a full turn."),
  make("strong", {}, "Score of unit vectors"), curve.picture);
update();
