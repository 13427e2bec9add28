// Sentence vectors: compares two of them, and searches many.

import { colour, paint } from "./maps.js";
import { newElement } from "./tokens.js";

export const cosine = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const number = value => value.toFixed(2).replace("-", "\u2212");

export function drawSimilarity(box, readings) {
  const vectors = readings.map(({ vector }) => vector);
  const largest = Math.max(...vectors.flatMap(vector => [...vector].map(Math.abs)));
  const pictures = vectors.map((vector, i) => {
    const canvas = newElement("canvas", { className: "live-vector" });
    canvas.setAttribute("role", "img");
    canvas.ariaLabel = `The vector of the ${i ? "second" : "first"} sentence, 384 numbers`;
    paint(canvas, 48, [...vector], {
      largest, above: colour("--book-tensorflow"), below: colour("--book-pytorch"),
    });
    return newElement("figure", {}, canvas,
      newElement("figcaption", { textContent: readings[i].text }));
  });
  const similarity = vectors.length === 2 ? cosine(...vectors) : null;
  box.replaceChildren(
    newElement("div", { className: "live-vectors" }, ...pictures),
    newElement("p", { className: "live-cosine" }, ...(similarity === null
      ? ["Type a second sentence to compare it with the first."]
      : ["cosine ", newElement("strong", { id: "live-cosine", textContent: number(similarity) }),
        scale(similarity)])));
}

function scale(similarity) {
  const line = newElement("span", { className: "live-scale" },
    newElement("span", { className: "live-mark" }));
  line.ariaHidden = "true";
  line.style.setProperty("--place", Math.max(0, similarity));
  return line;
}

export function drawSearch(list, best, wanted, notes) {
  const found = notes.map(({ text, vector }) => ({ text, similarity: cosine(wanted, vector) }))
    .sort((one, other) => other.similarity - one.similarity);
  list.replaceChildren(...found.map(({ text, similarity }) => {
    const item = newElement("li", {},
      newElement("span", { className: "live-similarity", textContent: number(similarity) }),
      newElement("span", { className: "live-note-text", textContent: text }));
    item.style.setProperty("--weight", Math.max(0, similarity));
    return item;
  }));
  best.textContent = found.length ? `Most similar: ${found[0].text}` : "";
}
