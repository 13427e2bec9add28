// Which heads write a token of an answer: each is exchanged, at that place, for what it has
// at the same place of the answer to another question (chapter 18).

import { ask } from "./client.js";
import { distribution } from "./sampling.js";
import { newElement } from "./tokens.js";

const percent = p => `${(100 * p).toFixed(p >= 0.0995 ? 0 : 1)}%`;

// `text` and `other` are { given, written }, lists of words; place: of a written word.
export async function exchange(name, text, other, place, vocab, end) {
  const idsOf = words => words.map(word => vocab.indexOf(word)), word = text.written[place];
  const given = idsOf(other);
  const { written } = await ask("write", { name, ids: given, end: vocab.indexOf(end), most: place });
  if (written.length < place || written.at(-1) === vocab.indexOf(end)) return undefined;
  const ids = idsOf([...text.given, ...text.written.slice(0, place)]);
  const found = await ask("exchange", { name, ids, other: [...given, ...written] });
  const row = (exchanged, logits) => {
    const all = distribution(logits), p = all.find(({ id }) => vocab[id] === word).p;
    return { exchanged, best: vocab[all[0].id], p };
  };
  return {
    milliseconds: found.milliseconds,
    rows: [row("no head", found.none),
      ...found.heads.map(({ layer, head, logits }) => row(`head ${layer}.${head}`, logits)),
      row("all heads", found.all), row("the other answer", found.other)],
  };
}

export function drawExchange(box, word, rows) {
  const own = rows[0].best;
  box.replaceChildren(newElement("table", {},
    newElement("thead", {}, newElement("tr", {}, ...["Exchanged", "Next token", `“${word}”`]
      .map(textContent => newElement("th", { scope: "col", textContent })))),
    newElement("tbody", {}, ...rows.map(({ exchanged, best, p }) => newElement("tr", {},
      newElement("th", { scope: "row", textContent: exchanged }),
      newElement("td", {}, newElement(best === own ? "span" : "strong", { textContent: best })),
      newElement("td", { textContent: percent(p) }))))));
}

// What the table says, in a sentence.
export function told(rows) {
  const [{ best: own }, ...rest] = rows, other = rest.pop(), all = rest.pop();
  const changing = rest.filter(({ best }) => best !== own).map(({ exchanged, best }) => `${exchanged} alone makes it ${best}`);
  return `The next token is ${own}; in the other answer it is ${other.best}. ` +
    `${changing.join(", ") || "no head alone changes it"}; all together make it ${all.best}.`
      .replace(/^./, letter => letter.toUpperCase());
}
