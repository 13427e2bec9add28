// One head's weights on one text, after some steps of training.
const {tokens, key_tokens, steps, maps, written, losses, watched} = DATA;
const CELL = 22, EDGE = 74; // of a square, and the room for the tokens' names

const at = (edge, place) => edge + CELL * place;
const cells = tokens.map((_, i) => key_tokens.map((_, j) =>
  draw("rect", {x: at(EDGE, j), y: at(EDGE, i), width: CELL - 1, height: CELL - 1, class: "cell"})));
const [width, height] = [EDGE + 26 + CELL * key_tokens.length, EDGE + 4 + CELL * tokens.length];
const map = draw("svg", {role: "img", width, viewBox: `0 0 ${width} ${height}`},
  ...cells.flat(),
  ...tokens.map((token, i) => draw("text", {x: EDGE - 6, y: at(EDGE, i) + 16, "text-anchor": "end"}, token)),
  ...key_tokens.map((token, j) => draw("text", {transform: `translate(${at(EDGE, j) + 14} ${EDGE - 6}) rotate(-60)`}, token)),
  ...watched.map(([i, j]) => draw("rect", {x: at(EDGE, j), y: at(EDGE, i), width: CELL - 1, height: CELL - 1,
    fill: "none", class: "query"})));

const room = WIDE ? figure.clientWidth - map.getAttribute("width") - 26 : figure.clientWidth;
const points = losses.map((loss, place) => [place + 1, loss]);
const highest = Math.ceil(Math.max(...losses));
const curve = plot([0, losses.length], [0, highest], {width: Math.min(300, room), height: 150,
  xTicks: [0, losses.length / 2, losses.length], yTicks: [0, highest], label: "step"});
const text = make("p");
const summary = make("p", {role: "status"});

function update(place) {
  const weights = maps[place];
  cells.forEach((row, i) => row.forEach((cell, j) => cell.style.fillOpacity = weights[i][j]));
  const mean = watched.reduce((sum, [i, j]) => sum + weights[i][j], 0) / watched.length;
  curve.contents.replaceChildren(curve.line(points), curve.marker(steps[place]));
  text.textContent = written[place] || "(the empty text)";
  const right = written[place] === written.at(-1);
  summary.textContent = `After ${steps[place]} steps, the framed squares have a mean weight of ${mean.toFixed(2)}. ` +
    `The model ${right ? "writes" : "does not yet write"} its final text.`;
  map.ariaLabel = `The head's weights after ${steps[place]} steps.`;
  curve.picture.ariaLabel = "The loss of each step.";
}

const beside = make("div", {className: "words"},
  make("div", {}, make("strong", {}, "Loss, nats a token"), curve.picture),
  make("div", {}, make("strong", {}, "The model writes"), text));
beside.style.flexBasis = "180px";
figure.append(
  player(steps.length - 1, update, summary, place => String(steps[place])),
  summary,
  make("div", {className: "row"},
    make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: "attention weights"}, map),
    beside));
