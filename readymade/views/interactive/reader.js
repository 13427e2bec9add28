// Pictures of numbers, and which patches each token of the word attends to. Weights are
// in percent, [CLS] first; version k of a number has its k-th digit hidden.
const {size, steps, cases} = DATA;
let one = cases[0], version = 0, token = 0;

const ORDER = ["first", "second", "third", "fourth", "fifth", "sixth"];
const board = make("div"), words = make("div"), hide = make("div"), whole = make("p", {className: "answer"});
const summary = make("p", {role: "status"});
hide.className = words.className = "controls";
for (const [group, label] of [[hide, "hide a digit"], [words, "tokens"]]) {
  group.role = "group";
  group.ariaLabel = label;
}

// Which digit a patch shows; undefined where no digit is written.
function digitOf(patch, columns, high) {
  const place = Math.floor(patch % columns * size / high);
  return place - (columns * size / high - one.name.length);
}

// The share of the weight on each digit of the number, in percent.
function onDigits({pixels, weights}) {
  const columns = pixels[0].length / size, found = Array(one.name.length).fill(0);
  weights[token].slice(1).forEach((share, patch) => {
    const digit = digitOf(patch, columns, pixels.length);
    if (digit >= 0) found[digit] += share;
  });
  return found;
}

function drawing({pixels, tokens, weights}) {
  const wide = pixels[0].length, high = pixels.length, columns = wide / size;
  const unit = Math.min(16, figure.clientWidth / wide);
  const box = (x, y, side, more) => draw("rect", {x: unit * x, y: unit * y, width: unit * side, height: unit * side, ...more});
  const ink = pixels.flatMap((line, y) => line.map((value, x) =>
    box(x, y, 1, {fill: "var(--ink)", "fill-opacity": value / steps})));
  const patches = weights[token].slice(1).map((share, patch) =>
    box(patch % columns * size, Math.floor(patch / columns) * size, size,
      {class: "axis", fill: "var(--vermilion)", "fill-opacity": 0.75 * share / 100}));
  return draw("svg", {width: unit * wide, height: unit * high, viewBox: `0 0 ${unit * wide} ${unit * high}`, role: "img",
    "aria-label": `The picture of ${one.name}; shaded: what ${tokens[token]} attends to.`}, ...ink, ...patches);
}

function told(shown) {
  const found = onDigits(shown), best = found.indexOf(Math.max(...found));
  const rest = shown.weights[token][0];
  return `“${shown.tokens[token]}” has ${found[best]} % of its attention on the ${ORDER[best]} digit, ${one.name[best]}` +
    `${version === best + 1 ? " (hidden)" : ""}, and ${rest} % on [CLS].`;
}

// A button that is down when it is the chosen one.
function choice(text, chosen, act, label = text) {
  const button = make("button", {type: "button", ariaLabel: label}, text);
  button.setAttribute("aria-pressed", chosen);
  button.addEventListener("click", act);
  return button;
}

function see(place) {
  token = place;
  const shown = one.versions[version];
  board.replaceChildren(drawing(shown));
  [...words.children].forEach((button, at) => button.setAttribute("aria-pressed", at === token));
  summary.textContent = told(shown);
}

function update() {
  const {tokens} = one.versions[version];
  words.replaceChildren(...tokens.map((text, place) => {
    const button = choice(text, false, () => see(place));
    for (const pointed of ["mouseenter", "focus"]) button.addEventListener(pointed, () => see(place));
    return button;
  }));
  whole.replaceChildren(version ? `With the ${ORDER[version - 1]} digit hidden, the model writes ` : "The model writes ",
    make("strong", {}, tokens.join("")), ".");
  see(Math.min(token, tokens.length - 1));
}

function choose(place) {
  version = place;
  [...hide.querySelectorAll("button")].forEach((button, at) => button.setAttribute("aria-pressed", at === version));
  update();
}

function start(place) {
  one = cases[place];
  token = 0;
  hide.replaceChildren("Hide", ...["nothing", ...one.name].map((text, at) =>
    choice(text, false, () => choose(at), at ? `hide the ${ORDER[at - 1]} digit, ${text}` : "hide nothing")));
  choose(0);
}

figure.append(
  make("div", {className: "controls"}, menu("number", cases.map(({name}) => name), 0, start), hide),
  board, whole, words, summary);
board.style.margin = "8px 0";
start(0);
