// The heads of one layer, switched on and off. The layer's output is a bias plus the sum
// of what each head adds, so the products of these parts give any selection's cosine.
const {tokens, products, maps} = DATA;
const heads = maps.length;
const on = maps.map(() => true);

// The cosine of the output with the chosen heads and the output with all of them.
function cosine(table) {
  const everything = [...on.map(() => true), true]; // the bias stays
  const chosen = [...on, true];
  const product = (left, right) => table.reduce((sum, row, i) => sum +
    (left[i] ? row.reduce((part, entry, j) => part + (right[j] ? entry : 0), 0) : 0), 0);
  return product(chosen, everything) /
    Math.sqrt(product(chosen, chosen) * product(everything, everything));
}

const bars = tokens.map(token => ({bar: make("span", {className: "bar"}), text: make("span")}));
const summary = make("p", {role: "status"});
const SIZE = 22, EDGE = 62; // of a cell, and the room for the tokens' names
const cells = tokens.map((_, i) => tokens.map((_, j) => draw("rect", {
  x: EDGE + SIZE * j, y: EDGE + SIZE * i, width: SIZE - 1, height: SIZE - 1, class: "cell"})));
const width = EDGE + 12 + SIZE * tokens.length;
const map = draw("svg", {role: "img", width, viewBox: `0 0 ${width} ${width - 8}`},
  ...cells.flat(),
  ...tokens.map((token, i) => draw("text", {x: EDGE - 6, y: EDGE + 16 + SIZE * i, "text-anchor": "end"}, token)),
  ...tokens.map((token, j) => draw("text", {transform: `translate(${EDGE + 14 + SIZE * j} ${EDGE - 6}) rotate(-60)`}, token)));

function update() {
  const left = on.filter(Boolean).length;
  const shares = products.map(cosine);
  bars.forEach(({bar, text}, place) => {
    bar.style.width = `${100 * Math.max(0, shares[place])}%`;
    text.textContent = shares[place].toFixed(2);
  });
  cells.forEach((row, i) => row.forEach((cell, j) => {
    const mean = maps.reduce((sum, weights, head) => sum + (on[head] ? weights[i][j] : 0), 0) / (left || 1);
    cell.style.fillOpacity = mean;
  }));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  summary.textContent = `${left} of ${heads} heads are on. Mean cosine with the complete output: ${mean.toFixed(2)}.`;
  map.ariaLabel = `The mean attention weights of the ${left} heads that are on.`;
}

const switches = on.map((_, head) => toggle(String(head), true, pressed => {
  on[head] = pressed;
  update();
}));
function all(pressed) {
  switches.forEach(button => {
    if ((button.getAttribute("aria-pressed") === "true") !== pressed) button.click();
  });
}
const buttons = [["all on", true], ["all off", false]].map(([name, pressed]) => {
  const button = make("button", {type: "button"}, name);
  button.addEventListener("click", () => all(pressed));
  return button;
});
switches.forEach((button, head) => button.ariaLabel = `head ${head}`);

figure.append(
  make("div", {className: "controls", role: "group", ariaLabel: "heads"}, "Heads", ...switches, ...buttons),
  summary,
  make("div", {className: "row"},
    make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: "attention weights"},
      make("strong", {}, "Mean attention of these heads"), map),
    make("table", {className: "bars"}, make("caption", {}, "Cosine with the output of all heads"),
      make("tbody", {}, ...tokens.map((token, place) => make("tr", {}, make("th", {scope: "row"}, token),
        make("td", {}, bars[place].text), make("td", {}, bars[place].bar)))))));
update();
