// One word's query and the keys of all words, step by step of a training. The reader may
// turn the query and make it longer or shorter.
const {words, word, queries, keys} = DATA;
const SIZE = Math.min(340, figure.clientWidth - (WIDE ? 284 : 0)); // 284: the bars
const [ASIDE, ABOVE] = [64, 20]; // what is left free: at the sides, for the names
const last = queries.length - 1;
const longest = Math.max(...queries.map(query => Math.hypot(...query)));
let step = 0;
let query = queries[0];

// The plane: as many units to the right as upwards, and all steps in it.
const entries = [[longest, 0], [-longest, 0], [0, longest], [0, -longest], ...keys.flat()];
const low = [0, 1].map(axis => Math.min(...entries.map(entry => entry[axis])));
const high = [0, 1].map(axis => Math.max(...entries.map(entry => entry[axis])));
const unit = Math.min((SIZE - 2 * ASIDE) / (high[0] - low[0]), (SIZE - 2 * ABOVE) / (high[1] - low[1]));
const at = ([x, y]) => [ASIDE + unit * (x - low[0]), ABOVE + unit * (high[1] - y)];
const height = 2 * ABOVE + unit * (high[1] - low[1]);
function line(from, to, kind) {
  const [[x1, y1], [x2, y2]] = [at(from), at(to)];
  return draw("line", {x1, y1, x2, y2, class: kind});
}

function drawing(weights) {
  // How far a key reaches in the query's direction: the foot of its perpendicular.
  const feet = keys[step].map(key => query.map(entry => entry * dot(query, key) / (dot(query, query) || 1)));
  const middle = [0, 1].map(axis => keys[step].reduce((sum, key) => sum + key[axis] / words.length, 0));
  const tip = at(query), start = at([0, 0]);
  const degrees = Math.atan2(tip[1] - start[1], tip[0] - start[0]) * 180 / Math.PI;
  return [
    line([low[0], 0], [high[0], 0], "axis"), line([0, low[1]], [0, high[1]], "axis"),
    ...keys[step].flatMap((key, place) => [line([0, 0], feet[place], "reach"), line(key, feet[place], "reach")]),
    line([0, 0], query, "query"),
    draw("path", {d: "M0 0L-10 -5L-10 5Z", transform: `translate(${tip}) rotate(${degrees})`, class: "chosen"}),
    ...keys[step].flatMap((key, place) => {
      const [cx, cy] = at(key), r = 4 + 10 * Math.sqrt(weights[place]);
      // The name stands on the side that is turned away from the other keys.
      const left = key[0] < middle[0], x = cx + (left ? -1 : 1) * (r + 4);
      return [draw("circle", {cx, cy, r, class: "key"}),
        draw("text", {x, y: cy + 4, "text-anchor": left ? "end" : "start"}, words[place])];
    }),
  ];
}

const plane = draw("svg", {viewBox: `0 0 ${SIZE} ${height}`, width: SIZE, role: "img"});
const bars = words.map(() => ({bar: make("span", {className: "bar"}), text: make("span")}));
const summary = make("p", {role: "status"});

function update() {
  const weights = softmax(keys[step].map(key => dot(query, key) / Math.SQRT2));
  plane.replaceChildren(...drawing(weights));
  bars.forEach(({bar, text}, place) => {
    bar.style.width = `${100 * weights[place]}%`;
    text.textContent = weights[place].toFixed(2);
  });
  const best = weights.indexOf(Math.max(...weights));
  const own = Math.hypot(...query.map((entry, axis) => entry - queries[step][axis])) > 1e-6;
  summary.textContent = `Step ${step} of ${last}${own ? ", with your query" : ""}: “${word}” puts the most ` +
    `weight on “${words[best]}”, ${weights[best].toFixed(2)}.`;
  plane.ariaLabel = `The query of “${word}” as an arrow, and the keys of all words.`;
}

const direction = slider("direction", {min: -180, max: 180, step: "any", value: 0}, value => `${value.toFixed(0)}°`, aim);
const length = slider("length", {min: 0, max: longest, step: "any", value: 0}, value => value.toFixed(2), aim);
function aim() {
  const [degrees, norm] = [direction, length].map(label => Number(label.querySelector("input").value));
  query = [Math.cos(degrees * Math.PI / 180) * norm, Math.sin(degrees * Math.PI / 180) * norm];
  update();
}
// The query of a step: both sliders move to it.
function show(chosen) {
  step = chosen;
  const [x, y] = queries[step];
  put(direction, Math.atan2(y, x) * 180 / Math.PI);
  put(length, Math.hypot(x, y));
}

figure.append(
  player(last, show, summary),
  make("div", {className: "controls", role: "group", ariaLabel: "query"}, "Query", direction, length),
  summary,
  make("div", {className: "row"}, plane,
    make("table", {className: "bars"}, make("caption", {}, `Weights of “${word}”`),
      make("tbody", {}, ...words.map((name, place) => make("tr", {}, make("th", {scope: "row"}, name),
        make("td", {}, bars[place].text), make("td", {}, bars[place].bar)))))));
