// 72 attention maps as buttons: a grid of layers and heads, one of which is chosen.

import { newElement } from "./tokens.js";

const LAYERS = 6, HEADS = 12;
// What an arrow key adds to the layer and to the head.
const STEPS = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
};

// The theme's colour, as red, green and blue.
export function colour(name) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
  return [1, 3, 5].map(i => parseInt(probe.fillStyle.slice(i, i + 2), 16));
}

// Paint numbers as cells of one colour, or of two: one above 0 and one below.
export function paint(canvas, columns, numbers, { largest, above, below = above }) {
  canvas.width = columns;
  canvas.height = numbers.length / columns;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(canvas.width, canvas.height);
  numbers.forEach((number, i) => {
    const opacity = 255 * Math.min(1, Math.abs(number) / largest);
    image.data.set([...(number < 0 ? below : above), opacity], 4 * i);
  });
  pen.putImageData(image, 0, 0);
}

export function drawMaps(box, reading, state, onChoice) {
  if (!box.querySelector("button")) build(box, state, onChoice);
  const above = colour("--pst-color-primary");
  box.querySelectorAll("canvas").forEach((canvas, i) => {
    const weights = reading.layers[Math.floor(i / HEADS)].weights[i % HEADS];
    // So that small weights are visible: twice as dark for four times the weight.
    paint(canvas, reading.tokens.length, weights.map(Math.sqrt), { largest: 1, above });
  });
}

function build(box, state, onChoice) {
  box.replaceChildren();
  const label = text => newElement("span", { className: "live-number", textContent: text });
  box.append(...["", ...Array(HEADS).keys()].map(label));
  for (let layer = 0; layer < LAYERS; layer++) {
    box.append(label(layer));
    for (let head = 0; head < HEADS; head++) {
      const map = newElement("button", { type: "button", dataset: { layer, head } },
        document.createElement("canvas"));
      map.setAttribute("role", "radio");
      map.ariaLabel = `Layer ${layer}, head ${head}`;
      box.append(map);
    }
  }
  box.querySelectorAll(".live-number").forEach(number => { number.ariaHidden = "true"; });
  const take = map => {
    Object.assign(state, { layer: Number(map.dataset.layer), head: Number(map.dataset.head) });
    onChoice();
  };
  box.addEventListener("click", event => {
    const map = event.target.closest("button");
    if (map) take(map);
  });
  box.addEventListener("keydown", event => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const layer = (state.layer + step[0] + LAYERS) % LAYERS;
    const head = (state.head + step[1] + HEADS) % HEADS;
    const map = box.querySelector(`[data-layer="${layer}"][data-head="${head}"]`);
    take(map);
    map.focus();
  });
}

export function markMap(box, { layer, head }) {
  for (const map of box.querySelectorAll("button")) {
    const chosen = map.dataset.layer === `${layer}` && map.dataset.head === `${head}`;
    map.ariaChecked = `${chosen}`;
    map.tabIndex = chosen ? 0 : -1;
  }
}
