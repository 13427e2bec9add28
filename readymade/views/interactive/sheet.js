// Attention as a sheet of numbers: edit Q, K or V, and everything after them follows.
const {words, given} = DATA;
const everything = () => words.map(() => words.map(() => true));
const MASKS = {
  "no mask": () => true,
  "causal": (row, column) => column <= row,
  "last word is padding": (row, column) => column < words.length - 1,
  "neighbours only": (row, column) => Math.abs(row - column) <= 1,
};
let {query, key, value} = structuredClone(given);
let mask = everything();
let divided = true;

// Equation (3.2), with a mask.
function attention() {
  const root = divided ? Math.sqrt(key[0].length) : 1;
  const scores = query.map(q => key.map(k => dot(q, k) / root));
  const weights = scores.map((row, i) =>
    softmax(row.map((score, j) => mask[i][j] ? score : -Infinity)));
  const output = weights.map(row =>
    value[0].map((_, entry) => dot(row, value.map(v => v[entry]))));
  return {scores, weights, output};
}

// A table with the words at its left, and a cell made by `cell(row, column)`.
function sheet(title, columns, cell) {
  const heads = columns.map(name => make("th", {scope: "col"}, name));
  const rows = words.map((word, i) => make("tr", {}, make("th", {scope: "row"}, word),
    ...columns.map((_, j) => make("td", {}, cell(i, j)))));
  return make("table", {}, make("caption", {}, title),
    make("thead", {}, make("tr", {}, make("td", {style: "border: 0"}), ...heads)),
    make("tbody", {}, ...rows));
}

const fields = [];
function editable(name, matrix) {
  const columns = matrix()[0].map((_, j) => String(j + 1));
  return sheet(name, columns, (i, j) => {
    const field = make("input", {type: "number", step: 0.5, ariaLabel: `${name} of ${words[i]}, entry ${j + 1}`});
    field.addEventListener("input", () => {
      if (Number.isFinite(field.valueAsNumber)) matrix()[i][j] = field.valueAsNumber;
      update();
    });
    fields.push(() => field.value = matrix()[i][j]);
    return field;
  });
}

const shown = {};
function computed(name, title, columns) {
  shown[name] = words.map(() => columns.map(() => make("span")));
  return sheet(title, columns, (i, j) => shown[name][i][j]);
}

// Each score is a button: press it to forbid or allow the pair.
const pairs = words.map((word, i) => words.map((other, j) => {
  const pair = make("button", {type: "button"});
  pair.addEventListener("click", () => {
    mask[i][j] = !mask[i][j];
    update();
  });
  return pair;
}));

const two = number => number.toFixed(2).replace("-0.00", "0.00");
function update() {
  const {scores, weights, output} = attention();
  pairs.forEach((row, i) => row.forEach((pair, j) => {
    pair.textContent = mask[i][j] ? two(scores[i][j]) : "−∞";
    pair.setAttribute("aria-pressed", !mask[i][j]);
    pair.ariaLabel = `${words[i]} attends to ${words[j]}: ` +
      (mask[i][j] ? `score ${two(scores[i][j])}` : "masked");
  }));
  weights.forEach((row, i) => row.forEach((weight, j) => {
    shown.weights[i][j].textContent = two(weight);
    shown.weights[i][j].parentElement.style.background = `rgb(var(--blue-rgb) / ${0.6 * weight})`;
  }));
  output.forEach((row, i) => row.forEach((entry, j) => shown.output[i][j].textContent = two(entry)));
}

function reset() {
  ({query, key, value} = structuredClone(given));
  mask = everything();
  fields.forEach(fill => fill());
  update();
}

const division = make("input", {type: "checkbox", checked: divided});
division.addEventListener("change", () => {
  divided = division.checked;
  update();
});
const masks = Object.entries(MASKS).map(([name, allows]) => {
  const button = make("button", {type: "button"}, name);
  button.addEventListener("click", () => {
    mask = words.map((_, i) => words.map((_, j) => allows(i, j)));
    update();
  });
  return button;
});
const again = make("button", {type: "button"}, "Start again");
again.addEventListener("click", reset);

figure.append(
  make("div", {className: "controls"}, make("label", {}, division, "divide by √dₖ"), ...masks, again),
  make("div", {className: "row"},
    editable("Query", () => query),
    editable("Key", () => key),
    sheet("Scores (press one to mask it)", words, (i, j) => pairs[i][j]),
    computed("weights", "Weights", words),
    editable("Value", () => value),
    computed("output", "Output", given.value[0].map((_, j) => String(j + 1)))));
reset();
