// Sinusoidal positions: the numbers of one position, and how alike two positions are.
const {d_model, max_len, base} = DATA;
const WIDTH = figure.clientWidth, HEIGHT = 170, LEFT = 44, BOTTOM = 26;
let position = DATA.position;
let dimension = 4;

// Equation (2.3): entry 2i is sin(position / base^(2i / d_model)), entry 2i + 1 the cosine.
function waves(place) {
  return Array.from({length: d_model}, (_, entry) => {
    const angle = place / base ** ((entry - entry % 2) / d_model);
    return entry % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
const places = Array.from({length: max_len}, (_, place) => place);
const table = places.map(waves);

const across = (value, count) => LEFT + (WIDTH - LEFT - 8) * value / (count - 1);
const up = (value, low, high) => 8 + (HEIGHT - BOTTOM - 8) * (high - value) / (high - low);

// A panel: its axis labels are written once, its contents anew at each update.
function panel(title, ticks, low, high, count, label) {
  const contents = draw("g");
  const picture = draw("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, role: "img"});
  const line = draw("line", {x1: LEFT, x2: WIDTH - 8, y1: up(0, low, high), y2: up(0, low, high), class: "axis"});
  const names = [low, 0, high].filter((v, i, all) => all.indexOf(v) === i).map(v =>
    draw("text", {x: LEFT - 6, y: up(v, low, high) + 4, "text-anchor": "end"}, String(v)));
  const below = ticks.map(tick =>
    draw("text", {x: across(tick, count), y: HEIGHT - 8, "text-anchor": "middle"}, String(tick)));
  picture.append(line, ...names, ...below, contents);
  return {block: make("div", {}, make("strong", {}, title), picture, make("p", {}, label)), contents, picture};
}

const entries = panel("The vector of this position", [0, d_model / 4, d_model / 2, 3 * d_model / 4],
  -1, 1, d_model, "entry of the vector (even: sine, odd: cosine)");
const wave = panel("One entry over all positions", [0, max_len / 4, max_len / 2, 3 * max_len / 4],
  -1, 1, max_len, "position");
const products = panel("Dot product with every other position",
  [0, max_len / 4, max_len / 2, 3 * max_len / 4], 0, d_model / 2, max_len, "position");

function line(values, low, high, count) {
  return draw("path", {class: "line", d: values.map((value, place) =>
    `${place ? "L" : "M"}${across(place, count)} ${up(value, low, high)}`).join("")});
}
const marker = (place, count) =>
  draw("line", {x1: across(place, count), x2: across(place, count), y1: 8, y2: HEIGHT - BOTTOM, class: "marker"});

function update() {
  const vector = table[position];
  const likeness = table.map(other => dot(vector, other));
  const bar = 0.7 * (WIDTH - LEFT) / d_model;
  entries.contents.replaceChildren(...vector.map((value, entry) => draw("rect", {
    x: across(entry, d_model) - bar / 2, width: bar, y: up(Math.max(value, 0), -1, 1),
    height: Math.abs(up(value, -1, 1) - up(0, -1, 1)),
    class: entry === dimension ? "chosen" : entry % 2 ? "cosine" : "sine",
  })));
  wave.contents.replaceChildren(line(table.map(row => row[dimension]), -1, 1, max_len), marker(position, max_len));
  products.contents.replaceChildren(line(likeness, 0, d_model / 2, max_len), marker(position, max_len));
  const wavelength = 2 * Math.PI * base ** ((dimension - dimension % 2) / d_model);
  entries.picture.ariaLabel = `Position ${position}: ${d_model} entries between -1 and 1.`;
  wave.picture.ariaLabel = `Entry ${dimension}: a wave that repeats every ${wavelength.toFixed(1)} positions.`;
  products.picture.ariaLabel = `The dot product is largest, ${d_model / 2}, at position ${position} itself.`;
  summary.textContent = `Entry ${dimension} repeats every ${wavelength.toFixed(1)} positions. ` +
    `Dot product of position ${position} with itself: ${likeness[position].toFixed(1)}; ` +
    [1, 10].filter(step => position + step < max_len).map(step =>
      `with position ${position + step}: ${likeness[position + step].toFixed(1)}`).join("; ") + ".";
}

const summary = make("p", {role: "status"});
figure.append(
  make("div", {className: "controls"},
    slider("position", {min: 0, max: max_len - 1, step: 1, value: position}, String, value => {
      position = value;
      update();
    }),
    slider("entry", {min: 0, max: d_model - 1, step: 1, value: dimension}, String, value => {
      dimension = value;
      update();
    })),
  summary, entries.block, wave.block, products.block);
update();
