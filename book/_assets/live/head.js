// One head, taken apart: from a query and the keys to the weighted mean of the values.

import { headOf, softmax } from "./layers.js";
import { colour, paint } from "./maps.js";
import { newElement } from "./tokens.js";

const D_MODEL = 384, D_K = 32;
const find = id => document.getElementById(id);
const number = value => value.toFixed(2).replace("-", "\u2212");
const quoted = token => `“${token}”`;

// The reader's choices: which head and query, which keys are hidden, whether to divide.
export class HeadPanel {
  constructor(state, onChoice) {
    this.state = state;
    this.hidden = new Set();
    this.divided = true;
    fill("live-layer", 6);
    fill("live-head", 12);
    for (const name of ["layer", "head", "query"]) {
      find(`live-${name}`).addEventListener("change", event => {
        state[name] = Number(event.target.value);
        onChoice(name);
      });
    }
    find("live-steps").addEventListener("change", ({ target }) => {
      if (target.name === "divided") this.divided = target.checked;
      else if (target.checked) this.hidden.delete(Number(target.value));
      else this.hidden.add(Number(target.value));
      onChoice("query");
      find(target.id).focus();
    });
    find("live-steps").addEventListener("click", ({ target }) => {
      if (target.id !== "live-undo") return;
      this.reset();
      onChoice("query");
      find("live-divided").focus();
    });
  }

  reset() {
    this.hidden.clear();
    this.divided = true;
  }
}

function fill(id, count) {
  find(id).replaceChildren(...[...Array(count).keys()].map(i => new Option(i, i)));
}

// What each step gives, for one query. `best` is the place of the largest weight, or
// undefined where every token is masked.
export function takeApart({ layers, tokens }, { state, hidden, divided }) {
  const { layer, head, query } = state;
  const [queries, keys, values] = ["query", "key", "value"].map(name =>
    headOf(layers[layer][name], D_MODEL, head, D_K));
  const row = (vectors, place) => vectors.subarray(place * D_K, (place + 1) * D_K);
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const asking = row(queries, query);
  const places = [...tokens.keys()];
  const scores = places.map(place => dot(asking, row(keys, place)));
  const scaled = scores.map(score => (divided ? score / Math.sqrt(D_K) : score));
  const masked = scaled.map((score, place) => (hidden.has(place) ? -Infinity : score));
  const weights = softmax(masked);
  const mean = new Float32Array(D_K);
  places.forEach(place => row(values, place).forEach((value, i) => {
    mean[i] += weights[place] * value;
  }));
  const best = hidden.size < places.length ? weights.indexOf(Math.max(...weights)) : undefined;
  return {
    query: asking, scores, scaled, weights, mean, best,
    keys: places.map(place => row(keys, place)),
    values: places.map(place => row(values, place)),
  };
}

export function drawHead(panel, reading) {
  const { state, hidden, divided } = panel;
  find("live-layer").value = state.layer;
  find("live-head").value = state.head;
  if (!reading) {
    return find("live-steps").replaceChildren(newElement("p", {
      className: "live-empty", textContent: "Load the encoder to take this head apart, too.",
    }));
  }
  const { tokens } = reading;
  const options = tokens.map((token, place) => new Option(`${place} ${token}`, place));
  find("live-query").replaceChildren(...options);
  find("live-query").value = state.query;
  const steps = takeApart(reading, panel);
  const changed = hidden.size > 0 || !divided;
  find("live-steps").replaceChildren(
    explain(steps, tokens, state.query, panel),
    newElement("p", { className: "live-changed", hidden: !changed },
      "This is no longer what MiniLM computes. ",
      newElement("button", { type: "button", id: "live-undo", textContent: "Undo" })),
    scrolling(table(steps, tokens, hidden)),
  );
}

// On a phone the table scrolls within itself, for the keyboard too.
function scrolling(content) {
  const box = newElement("div", { className: "live-scroll", tabIndex: 0 }, content);
  box.setAttribute("role", "region");
  box.ariaLabel = "The steps as a table";
  return box;
}

// 32 numbers as a strip of cells: one colour above 0, another below.
function strip(numbers, largest, label) {
  const canvas = newElement("canvas", { className: "live-strip" });
  canvas.setAttribute("role", "img");
  canvas.ariaLabel = label;
  paint(canvas, numbers.length, [...numbers], {
    largest, above: colour("--book-tensorflow"), below: colour("--book-pytorch"),
  });
  return canvas;
}

const largestOf = vectors => Math.max(...vectors.flatMap(vector => [...vector].map(Math.abs)));

function explain(steps, tokens, query, { hidden, divided }) {
  const { best } = steps, asking = quoted(tokens[query]), found = quoted(tokens[best]);
  const ofBest = say => (best === undefined ? "" : ` ${say()}`);
  const sum = steps.scaled.reduce((total, score, i) =>
    total + (hidden.has(i) ? 0 : Math.exp(score)), 0);
  const at = numbers => number(numbers[best]);
  const large = sum > 1e6 ? sum.toExponential(1) : number(sum);
  const item = (name, text, ...more) => newElement("li", {},
    newElement("strong", { textContent: name }), ` ${text}`, ...more);
  const toggle = newElement("label", {},
    newElement("input", {
      type: "checkbox", id: "live-divided", name: "divided", checked: divided,
    }),
    " divide");
  return newElement("ol", { className: "live-explained" },
    item("Query.", `${asking} becomes 32 numbers: what it looks for.`,
      strip(steps.query, largestOf([steps.query]), `The query of ${tokens[query]}`)),
    item("Keys.", "Every token becomes 32 more: what it can be found by." +
      ofBest(() => `The best match for ${asking} is ${found}.`)),
    item("Score.", "The dot product of query and key: multiply number by number, then add up." +
      ofBest(() => `For ${found} it is ${at(steps.scores)}.`)),
    item("Scale.", divided
      ? `Each score is divided by √32.${ofBest(() => `${at(steps.scores)} ÷ √32 = ${at(steps.scaled)}.`)} `
      : `Left out, so the scores are ${Math.sqrt(D_K).toFixed(1)} times as large. `, toggle),
    item("Mask.", hidden.size
      ? `Masked tokens: ${hidden.size}. A score of −∞ becomes a weight of 0.`
      : "An encoder may attend to every token. Mask some in the table."),
    item("Softmax.", best === undefined
      ? "Every token is masked. The sum of the powers would be 0, so this book defines all weights as 0."
      : `e to the power of each score, divided by the sum of these powers, ${large}: ` +
        `${found} gets ${at(steps.weights)}.`),
    item("Weighted mean.",
      `Each value times its weight, added up: what this head passes on to ${asking}.`,
      strip(steps.mean, largestOf([steps.mean]), `The weighted mean for ${tokens[query]}`)));
}

function table(steps, tokens, hidden) {
  const heads = ["token", "key", "score", "scaled", "mask", "weight", "value"];
  const cell = (...children) => newElement("td", {}, ...children);
  const largestKey = largestOf(steps.keys), largestValue = largestOf(steps.values);
  const rows = tokens.map((token, place) => {
    const box = newElement("input", {
      type: "checkbox", id: `live-mask-${place}`, value: place, checked: !hidden.has(place),
    });
    box.ariaLabel = `${token} may be attended to`;
    const meter = newElement("span", { className: "live-meter" });
    const weight = cell(meter, number(steps.weights[place]));
    weight.style.setProperty("--weight", steps.weights[place]);
    const row = newElement("tr", { className: place === steps.best ? "live-best" : "" },
      newElement("th", { scope: "row", textContent: token }),
      cell(strip(steps.keys[place], largestKey, `Key of ${token}`)),
      cell(number(steps.scores[place])),
      cell(hidden.has(place) ? "−∞" : number(steps.scaled[place])),
      cell(newElement("label", {}, box)),
      weight,
      cell(strip(steps.values[place], largestValue, `Value of ${token}`)));
    return row;
  });
  return newElement("table", { className: "live-table" },
    newElement("thead", {}, newElement("tr", {}, ...heads.map(name =>
      newElement("th", { scope: "col", textContent: name })))),
    newElement("tbody", {}, ...rows));
}
