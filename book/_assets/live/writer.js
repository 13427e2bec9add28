// The writer of chapter 13: it continues what the reader types, and shows what it does.

import { newBytePair } from "./byte_pair.js";
import { ask, load } from "./client.js";
import { colour, paint } from "./maps.js";
import { newPanel } from "./panel.js";
import { distribution, drawn, uniform } from "./sampling.js";
import { newElement } from "./tokens.js";

const SHOWN = 10; // of the likeliest tokens
const PAUSE = 60; // milliseconds between two tokens: about as fast as one reads
const MOST_BY_ITSELF = 60; // tokens that the front page writes without being asked
const percent = p => `${(100 * p).toFixed(p >= 0.0995 ? 0 : 1)}%`;
const visible = text => text.replace(/\n/g, "¶");

export function start(files, box) {
  const { find, field, button, status, write: writeOn, stop, act, offer, isRunning } =
    newPanel(box, draw);
  const log = find(".live-text"), head = { layer: 1, head: 0 };
  // A text is a list of tokens, of which the first `given` are the prompt's. A token has
  // its id, its text and what the model gave to draw it from.
  let model, prompt, text = [], given = 0, read = [], next, chosen;

  const settings = () => {
    const number = name => Number(field(name).value);
    return { temperature: number("temperature"), topP: number("topP"),
      topK: field("topK").value === field("topK").max ? Infinity : number("topK") };
  };
  const isFull = () => model && (text.length >= model.config.max_len || isOver());
  const isOver = () => text.length > given && text.at(-1)?.id === model.end;

  async function ready() {
    if (!model) {
      status.textContent = "Loading …";
      const { config, bytePair } = await load("writer", { file: files.writer });
      model = { config, ...newBytePair(bytePair) };
      offer(config, head, drawReading);
    }
    const wanted = find("textarea").value;
    if (wanted !== prompt) await begin(wanted);
  }

  async function begin(wanted) {
    let ids = model.encode(wanted);
    if (!ids.length) ids = [model.end]; // nothing: as at the beginning of a chapter
    ids = ids.slice(-model.config.max_len + 1); // room for a token at least
    prompt = wanted;
    text = ids.map(id => ({ id, text: wordsOf(id) }));
    given = text.length;
    read = [];
    log.replaceChildren(...text.map(element));
    await lookAhead();
  }

  const wordsOf = id => (id === model.end ? "(end)" : model.decode([id]));

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
    const token = { id, text: wordsOf(id), p: of.p, logits: next };
    text.push(token);
    log.append(element(token, text.length - 1));
    log.scrollTop = log.scrollHeight;
    if (isFull()) draw();
    else await lookAhead();
  }

  const one = () =>
    append(drawn(distribution(next, settings()), uniform(Number(field("seed").value), text.length)).id);

  async function shorten(length) {
    text.length = length;
    while (log.childNodes.length > length) log.lastChild.remove();
    await lookAhead();
  }

  async function readyForMore() {
    await ready();
    if (isFull()) await shorten(given);
  }

  const write = (most = Infinity) =>
    writeOn({ ready: readyForMore, one, isOver: () => isFull() || most-- <= 0, pause: PAUSE });

  // Drawing

  function element({ text: words, p, id }, place) {
    if (p === undefined) return newElement("span", { textContent: visible(words) });
    const token = newElement("button", { type: "button", textContent: visible(words) });
    token.dataset.p = percent(p);
    token.title = "Show what else could have been written here";
    token.addEventListener("click", () => {
      chosen = place === chosen ? undefined : place;
      stop();
    });
    return token;
  }

  function draw() {
    button("stop").disabled = !isRunning();
    button("one").disabled = isRunning();
    button("back").disabled = button("again").disabled = isRunning() || text.length <= given;
    if (!model || !read.length) return;
    drawShares();
    drawReading();
    const written = text.length - given;
    status.textContent = isOver() ? `The model has ended its text after ${written} tokens.`
      : isFull() ? `The window is full: the model reads at most ${model.config.max_len} tokens.`
      : written ? `${written} ${written === 1 ? "token" : "tokens"} written.` : "";
  }

  function drawShares() {
    const logits = chosen === undefined ? next : text[chosen].logits;
    const all = distribution(logits, settings()), best = all.slice(0, SHOWN);
    find(".live-which-token").textContent = chosen === undefined
      ? "The next token: take one, or let it be drawn"
      : `Instead of “${visible(text[chosen].text)}”: take another, and the model goes on from there`;
    find(".live-shares").replaceChildren(...best.map(({ id, share }) => {
      const name = visible(wordsOf(id)).replace(/^ /, "␣");
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
    [...log.children].forEach((token, i) => {
      token.style.setProperty("--weight", Math.sqrt(weights[i] ?? 0));
      token.classList.toggle("chosen", i === chosen);
    });
    find(".live-reads").textContent = `The shade of each token above: how much this head reads of it, at “${
      visible(text[place].text).trim() || "␣"}”, to predict what comes next.`;
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
      fresh} ${fresh === 1 ? "token" : "tokens"} anew, in ${milliseconds.toFixed(1)} ms.`;
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
    const seen = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      seen.disconnect();
      if (!isRunning() && !text.length) act(() => write(MOST_BY_ITSELF))();
    });
    seen.observe(box);
  }
}
