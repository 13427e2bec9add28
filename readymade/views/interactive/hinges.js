// A feed-forward layer of one number, FFN(x) = activation(x W₁ + b₁) W₂ + b₂, whose
// weights the reader sets. A unit is an entry of the inner vector: [W₁, b₁, W₂].
const {reach} = DATA;
const units = DATA.start.map(unit => [...unit]);
const ACTIVATIONS = {
  "ReLU": z => Math.max(0, z),
  "SiLU": z => z / (1 + Math.exp(-z)),
  "none": z => z,
};
let activation = "ReLU";
let chosen = 0;
let shift = 0; // b₂

const inputs = Array.from({length: 24 * 2 * reach + 1}, (_, place) => place / 24 - reach);
const part = ([weight, bias, out], x, name = activation) => out * ACTIVATIONS[name](x * weight + bias);
const output = x => units.reduce((sum, unit) => sum + part(unit, x), shift);
const wanted = x => DATA.target.reduce((sum, unit) => sum + part(unit, x, "ReLU"), 0);
const signed = value => value.toFixed(2).replace("-", "−");

const tall = 2; // outputs that are drawn
const curve = plot([-reach, reach], [-tall, tall], {width: Math.min(620, figure.clientWidth), height: 280,
  xTicks: [-reach, -2, -1, 0, 1, 2, reach], yTicks: [-tall, -1, 0, 1, tall], label: "input x"});
const summary = make("p", {role: "status"});

// Where the unit's number before the activation is 0: the hinge.
function told([weight, bias]) {
  if (activation === "none") return "Without an activation, every sum is a straight line.";
  if (inputs.every(x => x * weight + bias <= 0)) return `Unit ${chosen + 1} is negative before the ` +
    "activation for every input drawn: with ReLU, it is dead.";
  if (!weight) return `Unit ${chosen + 1} does not depend on x.`;
  return `Unit ${chosen + 1} bends at x = −b₁ / W₁ = ${signed(-bias / weight)}.`;
}

function update() {
  const line = (of, kind, look = {}) => {
    const drawn = curve.line(inputs.map(x => [x, of(x)]), kind);
    for (const [name, value] of Object.entries(look)) drawn.setAttribute(name, value);
    return drawn;
  };
  curve.contents.replaceChildren(
    line(wanted, "reach", {"stroke-width": 3}),
    ...units.map((unit, place) => line(x => part(unit, x), place === chosen ? "marker" : "line other",
      place === chosen ? {"stroke-width": 2} : {"stroke-opacity": 0.35})),
    line(output, "line output"));
  const far = Math.max(...inputs.map(x => Math.abs(output(x) - wanted(x))));
  summary.textContent = `${told(units[chosen])} The output is at most ${signed(far)} from the dotted curve` +
    `${far < 0.05 ? ": you have built it." : "."}`;
  curve.picture.ariaLabel = `The output of ${units.length} units, and the curve to build.`;
}

const sliders = ["W₁", "b₁", "W₂"].map((name, entry) =>
  slider(name, {min: -reach, max: reach, step: 0.1, value: units[0][entry]}, signed, value => {
    units[chosen][entry] = value;
    update();
  }));
function choose(place) {
  chosen = place;
  buttons.forEach((button, other) => button.setAttribute("aria-pressed", other === place));
  const values = [...units[place]];
  sliders.forEach((label, entry) => put(label, values[entry]));
}
const buttons = units.map((_, place) => {
  const button = make("button", {type: "button"}, `unit ${place + 1}`);
  button.addEventListener("click", () => choose(place));
  return button;
});
const choice = menu("activation", Object.keys(ACTIVATIONS), 0, place => {
  activation = Object.keys(ACTIVATIONS)[place];
  update();
});
const answer = make("button", {type: "button"}, "Show a solution");
answer.addEventListener("click", () => {
  DATA.target.forEach((unit, place) => units[place] = [...unit]);
  put(bias, 0);
  choose(chosen);
});
const bias = slider("b₂", {min: -reach, max: reach, step: 0.1, value: shift}, signed, value => {
  shift = value;
  update();
});

figure.append(
  make("div", {className: "controls", role: "group", ariaLabel: "hidden unit"}, ...buttons, ...sliders),
  make("div", {className: "controls"}, bias, choice, answer),
  summary,
  make("p", {}, "Blue: the output. Dashed: what the chosen unit adds to it; pale: the other units. Dotted: the curve to build."),
  curve.picture);
choose(0);
