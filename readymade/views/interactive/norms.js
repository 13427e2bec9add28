// Layer norm and the two orders of a sublayer, on a few words. One word's numbers are
// multiplied by `scale`, and `shift` is added to them.
const {x, words, word, epsilon} = DATA;
let [scale, shift] = [1, 0];
let order = 0;

const mean = numbers => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const deviation = numbers => Math.sqrt(mean(numbers.map(number => (number - mean(numbers)) ** 2)) + epsilon);
const normed = (row, over = row) => row.map(number => (number - mean(over)) / deviation(over));
const norm = rows => rows.map(row => normed(row));
const add = (left, right) => left.map((row, i) => row.map((number, j) => number + right[i][j]));
// The sublayer: attention that gives every word the same weights, so the mean of all words.
const sublayer = rows => rows.map(() => rows[0].map((_, j) => mean(rows.map(row => row[j]))));

const ORDERS = [
  ["layer norm: norm(x)", norm],
  ["mistake: one norm over the whole sentence", rows => rows.map(row => normed(row, rows.flat()))],
  ["post-LN: norm(x + sublayer(x))", rows => norm(add(rows, sublayer(rows)))],
  ["pre-LN: x + sublayer(norm(x))", rows => add(rows, sublayer(norm(rows)))],
  ["mistake: norm(x) + sublayer(norm(x))", rows => add(norm(rows), sublayer(norm(rows)))],
];

// A table of numbers, with each row's mean and standard deviation.
function table(title) {
  const cells = words.map(() => [...x[0], "mean", "deviation"].map(() => make("td")));
  const block = make("table", {}, make("caption", {}, title),
    make("thead", {}, make("tr", {}, make("td", {style: "border: 0"}), make("th", {colSpan: x[0].length, scope: "colgroup"}, "numbers"),
      make("th", {scope: "col"}, "mean"), make("th", {scope: "col"}, "std"))),
    make("tbody", {}, ...words.map((name, i) => make("tr", {}, make("th", {scope: "row"}, name), ...cells[i]))));
  const tight = WIDE && figure.clientWidth < 660; // two tables, little room
  block.style.fontSize = tight ? "11px" : "12px";
  for (const cell of cells.flat()) cell.style.minWidth = tight ? "30px" : "36px";
  return {block, cells};
}
const before = table("x"), after = table("Output");
const summary = make("p", {role: "status"});

function fill({cells}, rows, unchanged) {
  rows.forEach((row, i) => [...row, mean(row), Math.sqrt(mean(row.map(number => (number - mean(row)) ** 2)))]
    .forEach((number, j) => {
      const shown = number.toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−");
      cells[i][j].textContent = shown;
      const moved = j < row.length && Math.abs(number - unchanged[i][j]) >= 0.005;
      cells[i][j].style.color = moved ? "var(--vermilion)" : "";
      cells[i][j].style.fontWeight = moved ? "600" : "";
    }));
  return words.filter((_, i) => rows[i].some((number, j) => Math.abs(number - unchanged[i][j]) >= 0.005));
}

function update() {
  const changed = x.map((row, i) => i === word ? row.map(number => scale * number + shift) : row);
  const [, compute] = ORDERS[order];
  fill(before, changed, x);
  const moved = fill(after, compute(changed), compute(x));
  summary.textContent = scale === 1 && shift === 0 ? `Scale or shift “${words[word]}”, and see which outputs change.`
    : `Outputs changed by this: ${moved.length === words.length ? "those of all words" : moved.map(name => `“${name}”`).join(", ") || "none"}.`;
}

const number = value => value.toFixed(1).replace("-", "−");
const row = make("div", {className: "row"}, ...[before, after].map(({block}) =>
  make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: block.caption.textContent}, block)));
if (WIDE) row.style.flexWrap = "nowrap";
figure.append(
  make("div", {className: "controls"},
    slider(`scale of “${words[word]}”`, {min: 0.5, max: 8, step: 0.5, value: 1}, number, value => {
      scale = value;
      update();
    }),
    slider(`shift of “${words[word]}”`, {min: -8, max: 8, step: 0.5, value: 0}, number, value => {
      shift = value;
      update();
    }),
    menu("output", ORDERS.map(([name]) => name), 0, place => {
      order = place;
      update();
    })),
  summary,
  row);
update();
