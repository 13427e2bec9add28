// The translator of chapter 9: English numbers become German, token by token.

import { ask, load } from "./client.js";
import { german, understand } from "./numbers.js";
import { newPanel, tokens } from "./panel.js";
import { distribution } from "./sampling.js";
import { newElement } from "./tokens.js";

const BEGIN = 1, END = 2, FIRST_WORD = 3; // ids
const MOST = 14; // tokens of a translation
const PAUSE = 220; // milliseconds between two tokens
const FEW = 1000; // training had hardly any numbers below it
const COLUMN = 142, ROW = 30;
const percent = p => `${(100 * p).toPrecision(2)} %`;

export function start(files, box) {
  const { find, field, button, say, write, act, offer, isRunning } =
    newPanel(box, draw, "Type a number");
  const typed = find("[type=text]"), output = find(".live-translation output");
  const head = { layer: 0, head: 1 }; // the one that swaps units and tens best
  let model, asked, words, number, source, written = [];

  async function ready() {
    if (!model) {
      say("Loading …");
      model = await load("translator", { file: files.translator });
      offer(model.config, head, drawCross);
    }
    if (typed.value !== asked || isOver()) begin();
  }

  function begin() {
    asked = source = undefined; // so that nothing of the last number stays if this one is refused
    written = [];
    const parts = [".live-verdict", ".live-cross > div", ".live-tree > div", ".live-best"].map(find);
    for (const part of [output, ...parts]) part.replaceChildren();
    ({ words, number } = understand(typed.value));
    const unknown = words.find(word => model.source.indexOf(word) < FIRST_WORD);
    if (unknown) {
      throw new RangeError(`“${unknown}” is not one of the ${model.source.length - FIRST_WORD} words that the model knows`);
    }
    if (!words.length) throw new RangeError("there is no number to translate");
    source = [...words.map(word => model.source.indexOf(word)), END];
    if (source.length > model.config.max_len) throw new RangeError("that is too long for the model");
    asked = typed.value;
  }

  const isOver = () => written.at(-1)?.id === END || written.length === MOST;

  async function one() {
    const ids = [BEGIN, ...written.map(({ id }) => id)];
    const found = await ask("next", { name: "translator", ids, source });
    const [{ id, p }] = distribution(found.logits);
    // The weights of the newest query: those of the last row.
    const rows = found.weights.map(({ cross }) => cross.map(map => map.slice(-source.length)));
    written.push({ id, p, rows, milliseconds: found.milliseconds });
    draw();
    if (isOver()) await search();
  }

  const translate = act(() => write({ ready, one, isOver, pause: PAUSE }));

  // Drawing

  const nameOf = id => (id === END ? "(end)" : model.target[id]);
  const textOf = ids => ids.filter(id => id >= FIRST_WORD).map(id => model.target[id]).join("");

  function draw() {
    button("stop").disabled = !isRunning();
    button("one").disabled = isRunning();
    if (!source) return;
    output.replaceChildren(...written.filter(({ id }) => id !== END).map(({ id, p }) => {
      const token = newElement("span", { textContent: nameOf(id) });
      token.dataset.p = percent(p);
      return token;
    }));
    drawCross();
    const times = written.map(({ milliseconds }) => milliseconds);
    find(".live-verdict").textContent = isOver() ? verdict(textOf(written.map(({ id }) => id))) : "";
    if (isRunning()) return say("Writing …");
    say(`${words.join(" ")}: ${tokens(written.length)} written` +
      (times.length ? `, ${(times.reduce((a, b) => a + b) / times.length).toFixed(1)} ms each.` : "."),
    ` ${textOf(written.map(({ id }) => id))}`);
  }

  // Chapter 9 explains why short numbers fail: say it where it happens.
  function verdict(text) {
    if (number === undefined) {
      return "Words in an order that training never had. Chapter 9, “Known words in a new order”, shows what becomes of them.";
    }
    const right = german(number);
    const few = `Hardly any of the 5,000 numbers in its training are below ${FEW.toLocaleString("en")}: ` +
      "chapter 9 calls this distribution shift (“Where it fails, and why”).";
    if (text === right) return number < FEW ? `Right, though many short numbers fail. ${few}` : "Right.";
    return `Wrong: German is ${right}. ${number < FEW ? few : "That is rare: chapter 9 finds at least 99 % right."}`;
  }

  function drawCross() {
    if (!source) return;
    const titles = newElement("tr", {}, newElement("td"),
      ...[...words, "(end)"].map(word => newElement("th", { scope: "col", textContent: word })));
    const rows = written.map(({ id, rows }) => newElement("tr", {},
      newElement("th", { scope: "row", textContent: nameOf(id) }),
      ...[...rows[head.layer][head.head]].map(weight => {
        const cell = newElement("td", { textContent: weight.toFixed(2) });
        cell.style.setProperty("--weight", weight);
        return cell;
      })));
    find(".live-cross > div").replaceChildren(newElement("table", {},
      newElement("thead", {}, titles), newElement("tbody", {}, ...rows)));
  }

  async function search() {
    const size = Number(field("beam").value);
    const found = await ask("beam", { name: "translator", source, begin: BEGIN, end: END, size, most: MOST });
    find(".live-tree > div").replaceChildren(drawTree(found.steps, size));
    const text = textOf(found.ids) || "(the empty text)";
    find(".live-best").textContent = `With ${size === 1 ? "one beginning, as greedy search" : `the ${size} best beginnings`}: ${
      text}, ${percent(Math.exp(found.score))}${number === undefined ? "" : text === german(number) ? ", right" : ", wrong"}.`;
  }

  // A column for each step: the continuations that were tried, those in the beam in blue.
  function drawTree(steps, size) {
    const draw = (tag, attributes, ...children) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.append(...children);
      return element;
    };
    const places = new Map([[`${BEGIN}`, [2, 16]]]), marks = [];
    steps.forEach((tried, column) => tried.forEach(({ ids, score, kept }, row) => {
      const [x, y] = [22 + COLUMN * column, 16 + ROW * row];
      const [fromX, fromY] = places.get(`${ids.slice(0, -1)}`);
      places.set(`${ids}`, [x + COLUMN - 22, y]);
      marks.push(
        draw("line", { x1: fromX, y1: fromY, x2: x, y2: y, class: kept ? "kept" : "" }),
        draw("g", { class: kept ? "kept" : "" },
          draw("rect", { x, y: y - 12, width: COLUMN - 22, height: 24, rx: 4 }),
          draw("text", { x: x + 4, y: y + 4 }, nameOf(ids.at(-1))),
          draw("text", { x: x + COLUMN - 26, y: y + 4, "text-anchor": "end", class: "p" },
            percent(Math.exp(score)))));
    }));
    const [width, height] = [22 + COLUMN * steps.length, 8 + ROW * (size + 2)];
    return draw("svg", { width, height, role: "img",
      "aria-label": `Beam search in ${steps.length} steps` }, ...marks);
  }

  // Controls

  find("form").addEventListener("submit", event => {
    event.preventDefault();
    translate();
  });
  button("one").addEventListener("click", act(async () => {
    await ready();
    await one();
  }));
  for (const example of box.querySelectorAll("[data-number]")) {
    example.addEventListener("click", () => {
      typed.value = example.dataset.number;
      translate();
    });
  }
  field("beam").addEventListener("input", () => {
    if (source && isOver()) act(search)();
  });
  draw();
}
