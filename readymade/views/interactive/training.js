// One word's query and the keys of all words, step by step of a training.
const {words, word, queries, keys} = DATA;
const SIZE = Math.min(340, figure.clientWidth);
const [ASIDE, ABOVE] = [64, 20]; // what is left free: at the sides, for the names
const last = queries.length - 1;
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const MILLISECONDS = 250; // of a step
let timer = null;

// The plane: as many units to the right as upwards, and all steps in it.
const entries = [[0, 0], ...queries, ...keys.flat()];
const low = [0, 1].map(axis => Math.min(...entries.map(entry => entry[axis])));
const high = [0, 1].map(axis => Math.max(...entries.map(entry => entry[axis])));
const unit = Math.min((SIZE - 2 * ASIDE) / (high[0] - low[0]), (SIZE - 2 * ABOVE) / (high[1] - low[1]));
const at = ([x, y]) => [ASIDE + unit * (x - low[0]), ABOVE + unit * (high[1] - y)];
const height = 2 * ABOVE + unit * (high[1] - low[1]);
function line(from, to, kind) {
  const [[x1, y1], [x2, y2]] = [at(from), at(to)];
  return draw("line", {x1, y1, x2, y2, class: kind});
}

const weightsAt = step => softmax(keys[step].map(key => dot(queries[step], key) / Math.SQRT2));

function drawing(step, weights) {
  const query = queries[step];
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

function update(step) {
  const weights = weightsAt(step);
  plane.replaceChildren(...drawing(step, weights));
  bars.forEach(({bar, text}, place) => {
    bar.style.width = `${100 * weights[place]}%`;
    text.textContent = weights[place].toFixed(2);
  });
  const best = weights.indexOf(Math.max(...weights));
  summary.textContent = `Step ${step} of ${last}: “${word}” puts the most weight on ` +
    `“${words[best]}”, ${weights[best].toFixed(2)}.`;
  plane.ariaLabel = `The query of “${word}” as an arrow, and the keys of all words.`;
}

const steps = slider("step", {min: 0, max: last, step: 1, value: 0}, String, update);
const input = steps.querySelector("input");
function show(step) {
  input.value = step;
  input.dispatchEvent(new Event("input"));
}

function stop() {
  clearInterval(timer);
  timer = null;
  summary.ariaLive = "polite";
  play.textContent = calm ? "Last step" : "Play";
}
const play = make("button", {type: "button"});
play.addEventListener("click", () => {
  if (timer) return stop();
  if (calm) return show(last);
  if (Number(input.value) === last) show(0);
  summary.ariaLive = "off"; // twenty sentences in five seconds
  play.textContent = "Pause";
  timer = setInterval(() => {
    show(Number(input.value) + 1);
    if (Number(input.value) === last) stop();
  }, MILLISECONDS);
});
for (const touched of ["pointerdown", "keydown"]) input.addEventListener(touched, stop);

figure.append(
  make("div", {className: "controls"}, steps, play),
  summary,
  make("div", {className: "row"}, plane,
    make("table", {className: "bars"}, make("caption", {}, `Weights of “${word}”`),
      make("tbody", {}, ...words.map((name, place) => make("tr", {}, make("th", {scope: "row"}, name),
        make("td", {}, bars[place].bar), make("td", {}, bars[place].text)))))));
stop();
update(0);
