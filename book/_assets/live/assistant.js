// The assistant of chapter 15: a question, and what the model writes after each stage.
// Several tries at it vote, as in chapter 20.

import { ask, load } from "./client.js";
import { drawExchange, exchange, told } from "./exchange.js";
import { anotherOf, isRight, REFUSAL, rightAnswer, saidBy, wordsOf } from "./game.js";
import { newPanel } from "./panel.js";
import { distribution, drawn, uniform } from "./sampling.js";
import { newElement } from "./tokens.js";
import { drawVotes, toldVotes, votesOf } from "./votes.js";

const MOST = 48; // tokens of an answer
const SPECIAL = 5; // tokens that are not words
const PAUSE = 90; // milliseconds between two tokens
const TRIES = 16;
const SAID = "Then click a token of an answer.";

export function start(files, box) {
  let model, right, asked, stages = [], suggested = "";
  const { find, field, button, say, write, act, isRunning } =
    newPanel(box, draw, "Ask in the words of the number game");
  const heads = find(".live-heads"), said = find(".live-said");
  const question = find("textarea"), places = [...box.querySelectorAll("[data-stage]")];

  async function ready() {
    if (!model) {
      say("Loading …");
      model = await load("assistant", { file: files.assistant });
    }
    stages = [];
    for (const place of places) {
      place.querySelectorAll(".live-given, [role=log], .live-verdict, .live-votes").forEach(part => part.replaceChildren());
    }
    const words = known(asked = question.value);
    right = rightAnswer(words);
    heads.replaceChildren();
    said.textContent = SAID;
    // Another question that the reader typed stays.
    if (field("other").value === suggested) field("other").value = suggested = anotherOf(words).join(" ");
    stages = places.map(place => {
      const isBase = place.dataset.stage === "base", given = promptOf(words, isBase);
      place.querySelector(".live-given").textContent = given.join(" ");
      return { place, given, isBase, written: [], tries: [] };
    });
  }

  // What a reader typed, as words that the model has.
  function known(typed) {
    const words = wordsOf(typed), { vocab, config } = model;
    const unknown = words.find(word => !vocab.includes(word));
    if (unknown) throw new RangeError(`“${unknown}” is not one of its ${vocab.length - SPECIAL} words`);
    if (!words.length) throw new RangeError("there is no question");
    if (words.length + MOST + 3 > config.max_len) throw new RangeError("that is too long for the model");
    return words;
  }

  // The base model continues a document; the others are asked in the chat template.
  const promptOf = (words, isBase) =>
    isBase ? ["<|endoftext|>", ...words] : ["<|user|>", ...words, "<|end|>", "<|assistant|>"];

  // A token that the reader clicked: which heads write it.
  async function lookInside({ place, given, written, isBase }, at, button) {
    const words = written.map(({ word }) => word), name = `assistant.${place.dataset.stage}`;
    box.querySelector(".live-inside").open = true;
    box.querySelectorAll("[aria-pressed=true]").forEach(other => { other.ariaPressed = "false"; });
    button.ariaPressed = "true";
    const found = await exchange(name, { given, written: words }, promptOf(known(field("other").value), isBase),
      at, model.vocab, isBase ? "<|endoftext|>" : "<|end|>");
    if (found) drawExchange(heads, words[at], found.rows);
    else heads.replaceChildren();
    said.textContent = found ? told(found.rows) : "The other answer ends before this place.";
  }

  const isOver = ({ written, isBase }) =>
    written.length === MOST || written.at(-1)?.word === (isBase ? "<|endoftext|>" : "<|end|>");

  // What a stage writes next.
  async function next({ place, given }, written, temperature, seed) {
    const ids = [...given, ...written.map(({ word }) => word)].map(word => model.vocab.indexOf(word));
    const { logits } = await ask("next", { name: `assistant.${place.dataset.stage}`, ids });
    const { id, p } = drawn(distribution(logits, { temperature }), uniform(seed, written.length));
    return { word: model.vocab[id], p };
  }

  // One token from each model that has not finished.
  async function one() {
    const temperature = Number(field("temperature").value), seed = Number(field("seed").value);
    for (const stage of stages.filter(stage => !isOver(stage))) {
      stage.written.push(await next(stage, stage.written, temperature, seed));
    }
    draw();
  }

  // One whole answer from each model that answers, drawn at temperature 1 with a seed of its own.
  const voters = () => stages.filter(({ isBase }) => !isBase);
  async function oneTry() {
    for (const stage of voters()) {
      const written = [], seed = Number(field("seed").value) + stage.tries.length;
      while (!isOver({ written })) written.push(await next(stage, written, 1, seed));
      stage.tries.push(written);
    }
    draw();
  }

  function draw() {
    button("stop").disabled = !isRunning();
    for (const stage of stages) {
      const { place, written } = stage, log = place.querySelector("[role=log]");
      for (const { word, p } of written.slice(log.children.length)) {
        const token = newElement("button", { type: "button", textContent: word, title: `${(100 * p).toFixed(1)}%` });
        const at = log.children.length;
        token.style.setProperty("--weight", p);
        token.addEventListener("click", act(() => lookInside(stage, at, token)));
        log.append(" ", token); // a space after it would move with the next
      }
      place.querySelector(".live-verdict").textContent = isOver(stage) ? verdict(stage) : "";
      if (stage.tries.length) drawTries(stage);
    }
    if (!stages.length) return;
    const answers = stages.map(({ place, tries }) => ["strong", "[role=log]", ".live-verdict"]
      .map(part => place.querySelector(part).textContent.trim())
      .concat(tries.length ? `votes: ${toldVotes(tries.map(saysOf))}` : []).join(", ")).join(". ");
    say(right === REFUSAL ? `Nobody can know that, so “${right}” is right.`
      : right ? `Right: “${right}”`
      : "The number game has no such question, so its program can't check the answers.",
    isRunning() ? "" : ` ${answers}`);
  }

  const textOf = written => written.map(({ word }) => word).join(" ");
  const saysOf = written => saidBy(textOf(written));

  function drawTries({ place, tries }) {
    const all = tries.map(saysOf), [winner] = votesOf(all);
    drawVotes(place.querySelector(".live-votes"), all, tries.flat().length, TRIES);
    if (!right || tries.length < TRIES) return;
    const isRightVote = winner?.[0] === saidBy(`${right} <|end|>`);
    place.querySelector(".live-verdict").append(isRightVote ? "; the vote is right" : "; the vote is wrong");
  }

  function verdict({ written, isBase }) {
    const answer = textOf(written);
    if (isBase) return answer.includes("?") ? "Asks on" : "Goes on";
    return right ? (isRight(right, answer) ? "Right" : "Wrong") : "";
  }

  // Controls

  const answer = act(() => write({ ready, one, isOver: () => stages.every(isOver), pause: PAUSE }));
  find("form").addEventListener("submit", event => {
    event.preventDefault();
    answer();
  });
  // The vote is beside the usual answers, which are written first where they are missing.
  const vote = act(async () => {
    box.classList.add("live-voted");
    const isAnswered = () => stages.length && stages.every(isOver);
    if (asked !== question.value || !isAnswered()) await write({ ready, one, isOver: isAnswered, pause: 0 });
    if (!isAnswered()) return;
    for (const stage of stages) stage.tries = [];
    await write({ ready() {}, one: oneTry, isOver: () => voters().every(({ tries }) => tries.length === TRIES), pause: 0 });
  });
  button("tries").addEventListener("click", vote);
  button("tries").disabled = false;
  for (const example of box.querySelectorAll("[data-question]")) {
    example.addEventListener("click", () => {
      question.value = example.dataset.question;
      answer();
    });
  }
}
