// The writer of chapter 13: it continues what the reader types, and shows what it does.

import { newBytePair } from "./byte_pair.js";
import { ask, load } from "./client.js";
import { colour, paint } from "./maps.js";
import { newPanel, tokens } from "./panel.js";
import { distribution, drawn, uniform } from "./sampling.js";
import { newElement, whenNear } from "./tokens.js";

const SHOWN = 10; // of the likeliest tokens
const PAUSE = 60; // milliseconds between two tokens: about as fast as one reads
const MOST_BY_ITSELF = 60; // tokens that the front page writes without being asked
const percent = p => `${(100 * p).toFixed(p >= 0.0995 ? 0 : 1)}%`;
const visible = text => text.replace(/\n/g, "¶");

// What phones and word processors type, as the novel writes it: the model knows nothing else.
const inSignsOfTheNovel = text => [
  [/[‘’‚‛‹›′ʼ´`]/g, "'"], [/[“”„‟″«»]/g, '"'], [/[\u2010\u2011\u2212]|(?<=\d)–(?=\d)/g, "-"],
  [/[–—―]/g, "--"], [/…/g, "..."], [/[\u00a0\u2000-\u200a\u202f]/g, " "], [/[\u00ad\ufeff]/g, ""],
].reduce((sofar, [from, to]) => sofar.replace(from, to), text);

export function start(files, box) {
  const { find, field, button, say, write: writeOn, stop, act, offer, isRunning } =
    newPanel(box, draw);
  const log = find(".live-text"), head = { layer: 1, head: 0 };
  // A text is a list of tokens: the first `given` are the prompt's, and those from `since` on
  // answer the last request. A token has its id, the distribution it was drawn from, and the
  // element that shows it.
  let model, prompt, text = [], given = 0, since = 0, elements = [], read = [], next, chosen;

  const settings = () => {
    const number = name => Number(field(name).value);
    return { temperature: number("temperature"), topP: number("topP"),
      topK: field("topK").value === field("topK").max ? Infinity : number("topK") };
  };
  const isFull = () => model && (text.length >= model.config.max_len || isOver());
  const isOver = () => text.length > given && text.at(-1)?.id === model.end;

  async function ready() {
    if (!model) {
      say("Loading …");
      const { config, bytePair } = await load("writer", { file: files.writer });
      model = { config, ...newBytePair(bytePair) };
      offer(config, head, drawReading);
    }
    const wanted = find("textarea").value;
    if (wanted !== prompt) await begin(wanted);
  }

  async function begin(wanted) {
    let ids = model.encode(inSignsOfTheNovel(wanted));
    if (!ids.length) ids = [model.end]; // nothing: as at the start of a chapter
    ids = ids.slice(-model.config.max_len + 1); // room for at least one token
    prompt = wanted;
    text = ids.map(id => ({ id }));
    given = text.length;
    read = [];
    drawText();
    await lookAhead();
  }

  const namesOf = ids => model.pieces(ids).map((name, i) => (ids[i] === model.end ? "(end)" : name));
  const nameOf = id => visible(namesOf([id])[0]);

  // What the model makes of the text so far: its logits for the next token.
  async function lookAhead() {
    chosen = undefined;
    read.length = Math.min(read.length, text.length);
    const found = await ask("next", { name: "writer", ids: text.map(({ id }) => id) });
    const fresh = text.length - found.start;
    for (let i = 0; i < fresh; i++) {
      const place = found.start + i, row = (all, count) => all.slice(i * count, (i + 1) * count);
      read[place] = {
        weights: found.weights.map(({ self }) => self.map(map => row(map, text.length).slice(0, place + 1))),
        keys: found.keys.map(all => row(all, all.length / fresh)),
        values: found.values.map(all => row(all, all.length / fresh)),
      };
    }
    next = found.logits;
    read.at(-1).step = { fresh, milliseconds: found.milliseconds };
    draw();
  }

  // Add a token, drawn or taken by the reader, and look ahead.
  async function append(id) {
    const [of] = distribution(next).filter(token => token.id === id);
    text.push({ id, p: of.p, logits: next });
    drawText();
    log.scrollTop = log.scrollHeight;
    if (isFull()) draw();
    else await lookAhead();
  }

  const one = () =>
    append(drawn(distribution(next, settings()), uniform(Number(field("seed").value), text.length)).id);

  async function shorten(length) {
    text.length = since = length;
    drawText();
    await lookAhead();
  }

  async function readyForMore() {
    await ready();
    if (isFull()) await shorten(given);
    since = text.length;
  }

  const write = (most = Infinity) =>
    writeOn({ ready: readyForMore, one, isOver: () => isFull() || most-- <= 0, pause: PAUSE });

  // Drawing

  // The text as text: tokens of one word hang together, and a line ends where its does.
  function drawText() {
    const names = namesOf(text.map(({ id }) => id)), paragraphs = [];
    elements = text.map((token, place) => element(token, place, names[place].replace(/^ (?=\S)/, "")));
    elements.forEach((token, place) => {
      if (place === 0 || names[place - 1].endsWith("\n")) paragraphs.push(newElement("p"));
      const paragraph = paragraphs.at(-1), word = paragraph.lastElementChild;
      const isNew = !word || /^\s/.test(names[place]) || /\s$/.test(names[place - 1]);
      if (/^ \S/.test(names[place])) paragraph.append(" ");
      if (isNew) paragraph.append(newElement("span", { className: "live-word" }, token));
      else word.append(token);
      if (names[place] && !names[place + 1] && place + 1 < text.length) share(place, names);
    });
    log.replaceChildren(...paragraphs);
  }

  function element({ p, id }, place, name) {
    const textContent = visible(name);
    if (p === undefined) return newElement("span", { textContent });
    const title = `${percent(p)}. Show what else could have been written here`;
    const token = newElement("button", { type: "button", title, textContent });
    if (!name) token.ariaLabel = nameOf(id);
    token.style.setProperty("--p", p);
    token.addEventListener("click", () => {
      chosen = place === chosen ? undefined : place;
      stop();
    });
    return token;
  }

  // The tokens after this one, as far as they have nothing of their own to show, have their
  // parts of its last character.
  function share(place, names) {
    const end = names.findIndex((name, i) => i > place && name);
    const rest = elements.slice(place + 1, end < 0 ? undefined : end);
    const pen = document.createElement("canvas").getContext("2d"), style = getComputedStyle(log);
    pen.font = style.font;
    const width = pen.measureText([...names[place]].at(-1)).width / parseFloat(style.fontSize);
    const part = Math.max(width / (rest.length + 1), 0.15); // some characters have no width
    elements[place].style.setProperty("--over", `${Math.max(width - part, 0)}em`);
    for (const token of [elements[place], ...rest]) token.style.minWidth = `${part}em`;
  }

  function draw() {
    button("stop").disabled = !isRunning();
    button("one").disabled = isRunning();
    button("back").disabled = button("again").disabled = isRunning() || text.length <= given;
    if (!model || !read.length) return;
    drawShares();
    drawReading();
    const written = text.length - given;
    if (isRunning()) return say("Writing …");
    say(isOver() ? `The model has ended its text after ${tokens(written)}.`
      : isFull() ? `The window is full: the model reads at most ${model.config.max_len} tokens.`
      : written ? `${tokens(written)} written.` : "", ` ${model.decode(text.slice(since).map(({ id }) => id))}`);
  }

  function drawShares() {
    const logits = chosen === undefined ? next : text[chosen].logits;
    const all = distribution(logits, settings()), best = all.slice(0, SHOWN);
    find(".live-which-token").textContent = chosen === undefined
      ? "The next token: take one, or let it be drawn"
      : `Instead of “${nameOf(text[chosen].id)}” (${percent(text[chosen].p)}): take another, and the model goes on from there`;
    find(".live-shares").replaceChildren(...best.map(({ id, share }) => {
      const name = nameOf(id).replace(/^ /, "␣");
      const take = newElement("button", { type: "button" },
        newElement("span", { textContent: name }),
        newElement("span", { textContent: share ? percent(share) : "out" }));
      take.style.setProperty("--weight", share);
      take.ariaPressed = `${chosen !== undefined && id === text[chosen].id}`;
      const place = chosen;
      take.addEventListener("click", act(async () => {
        if (place !== undefined) await shorten(place);
        if (isFull()) return;
        await append(id);
        if (place !== undefined) await write();
      }));
      return newElement("li", {}, take);
    }));
    const kept = all.filter(({ share }) => share).length;
    find(".live-kept").textContent = `${kept} of ${all.length} tokens can be drawn.`;
  }

  // What the chosen head read to predict the chosen token, or the next one.
  function drawReading() {
    const place = Math.min((chosen ?? text.length) - 1, read.length - 1);
    const weights = read[place].weights[head.layer][head.head];
    elements.forEach((token, i) => {
      token.style.setProperty("--weight", Math.sqrt(weights[i] ?? 0));
      token.classList.toggle("chosen", i === chosen);
    });
    find(".live-reads").textContent = `The shade of each token above: how much this head reads of it, at “${
      nameOf(text[place].id).trim() || "␣"}”, to predict what comes next.`;
    drawCache();
  }

  function drawCache() {
    const { max_len, d_model, num_heads, num_layers } = model.config, d_k = d_model / num_heads;
    const numbers = new Float32Array(2 * d_k * max_len);
    read.forEach(({ keys, values }, place) => [keys, values].forEach((kind, part) => {
      for (let i = 0; i < d_k; i++) {
        numbers[(part * d_k + i) * max_len + place] = kind[head.layer][head.head * d_k + i];
      }
    }));
    paint(find(".live-cache"), max_len, numbers, {
      largest: 3, above: colour("--book-tensorflow"), below: colour("--book-pytorch"),
    });
    const { fresh, milliseconds } = read.at(-1).step;
    const count = (2 * num_layers * d_model * read.length).toLocaleString("en");
    find(".live-cached").textContent = `The KV cache of this head: for each token a column, its key above its value. ${
      read.length} of ${max_len} positions, ${count} numbers in all layers. The last step read ${
      tokens(fresh)} anew, in ${milliseconds.toFixed(1)} ms.`;
  }

  // Controls

  find("form").addEventListener("submit", event => {
    event.preventDefault();
    if (!isRunning()) act(write)();
  });
  find("textarea").addEventListener("input", stop);
  button("one").addEventListener("click", act(async () => {
    await readyForMore();
    await one();
  }));
  button("back").addEventListener("click", act(() => shorten(text.length - 1)));
  button("again").addEventListener("click", act(() => shorten(given)));
  find(".live-sliders").addEventListener("input", draw);
  new MutationObserver(() => model && read.length && drawCache())
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });

  draw();

  // On the front page it writes when it is seen, unless the reader saves data.
  if ("auto" in box.dataset && !navigator.connection?.saveData) {
    whenNear([box], "0px", () => {
      if (!isRunning() && !text.length) act(() => write(MOST_BY_ITSELF))();
    });
  }
}
