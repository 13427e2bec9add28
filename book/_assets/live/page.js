// The page "Live models": what the reader types goes to the encoder in the worker, and its
// results go to the figures.

import { ask, load, reasonOf } from "./client.js";
import { drawHead, HeadPanel } from "./head.js";
import { drawMaps, markMap } from "./maps.js";
import { drawSearch, drawSimilarity } from "./similarity.js";
import { drawTokens, whenNear } from "./tokens.js";
import { hasTooManyTokens, showView } from "./view.js";

const WAIT_FOR_TYPING = 300; // milliseconds
const find = id => document.getElementById(id);

const state = { readings: [], shown: 0, layer: 3, head: 1, query: 1 };
let ready, panel, stored;

function showLoading(shown) {
  find("live-progress").hidden = find("live-megabytes").hidden = !shown;
}

function showProgress(loaded, total) {
  const progress = find("live-progress");
  showLoading(true);
  progress.max = total;
  progress.value = loaded;
  const megabytes = bytes => (bytes / 1e6).toFixed(0);
  find("live-megabytes").textContent = `${megabytes(loaded)} of ${megabytes(total)} MB`;
}

function tell(text) {
  find("live-status").textContent = text;
}

export function start(files) {
  panel = new HeadPanel(state, show);
  const form = find("live-form");
  // Nothing is loaded before the reader asks for it.
  const run = () => load("encoder", { file: files.encoder, tokenizer: files.tokenizer }, showProgress)
    .then(() => { ready = true; })
    .then(readAll)
    .catch(fail);
  form.addEventListener("submit", event => {
    event.preventDefault();
    find("live-load").disabled = true;
    if (!ready) tell("Loading …");
    run();
  });
  for (const button of form.querySelectorAll("[data-first]")) {
    button.addEventListener("click", () => {
      find("live-first").value = button.dataset.first;
      find("live-second").value = button.dataset.second;
      if (!ready) return tell("Load the encoder to read these two.");
      state.shown = 0;
      state.readings = []; // another pair: start again
      run();
    });
  }
  whenTyped(form, () => ready && run());
  whenTyped(find("live-search"), () => ready && search().catch(fail));
  find("live-which").addEventListener("change", event => {
    state.shown = Number(event.target.value);
    choose();
  });
  find("live-all").addEventListener("change", show);
  // The figures take their colours from the theme.
  new MutationObserver(() => state.readings.length && show("all but the view"))
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });
  find("live-load").disabled = false;
  // A link, the search or the browser itself may lead to any of the figures.
  whenNear([form, ...document.querySelectorAll(".live-figure")], "800px",
    () => showStored(files.first).catch(fail));
}

// Before the encoder is loaded, the page shows what the build stored of its two sentences:
// all maps, and one head to take apart.
async function showStored(address) {
  const response = await fetch(address).catch(cause => {
    throw new Error("the server did not answer", { cause });
  });
  if (!response.ok) throw new Error(`${address} is missing (${response.status})`);
  const { sentences, found, layer, head } = await response.json();
  if (state.readings.length || ready) return;
  stored = { layer, head };
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const floats = text => new Float32Array(bytes(text).buffer);
  state.readings = sentences.map(({ text, tokens, ids, maps, vector, ...parts }) => {
    const count = tokens.length ** 2, all = Float32Array.from(bytes(maps), byte => byte / 255);
    const layers = Array.from({ length: 6 }, (_, i) => ({
      weights: Array.from({ length: 12 }, (_, j) =>
        all.subarray((12 * i + j) * count, (12 * i + j + 1) * count)),
    }));
    for (const name of ["query", "key", "value"]) {
      layers[layer][name] = new Float32Array(tokens.length * 384);
      floats(parts[name]).forEach((number, i) => {
        layers[layer][name][Math.floor(i / 32) * 384 + 32 * head + (i % 32)] = number;
      });
    }
    return { text, tokens, ids, layers, vector: floats(vector) };
  });
  drawTokens(find("live-tokens"), state.readings);
  drawSimilarity(find("live-similar"), state.readings);
  choose();
  drawSearch(find("live-found"), find("live-best"), [1],
    found.map(({ text, similarity }) => ({ text, vector: [similarity] })));
}

function whenTyped(area, act) {
  let timer;
  area.addEventListener("input", event => {
    if (event.target.matches("select, [type=checkbox], [type=radio]")) return;
    clearTimeout(timer);
    timer = setTimeout(act, WAIT_FOR_TYPING);
  });
}

function fail(error) {
  find("live-load").disabled = false;
  showLoading(false);
  find("live-load").hidden = false;
  tell(`That did not work: ${reasonOf(error)}. Try again.`);
}

// Read the text of the two fields. A reading is stale if more was typed meanwhile.
let latest = 0;
async function readAll() {
  const mine = ++latest;
  showLoading(false);
  find("live-load").hidden = true;
  const texts = ["live-first", "live-second"].map(id => find(id).value);
  const readings = [];
  for (const [i, text] of texts.entries()) {
    if (i === 1 && text.trim() === "") continue;
    const before = stored ? undefined : state.readings[i];
    readings.push(before?.text === text ? before : { text, ...await ask("read", { text }) });
    if (mine !== latest) return;
  }
  stored = undefined;
  const looked = state.readings[state.shown], first = !looked;
  state.readings = readings;
  state.shown = Math.min(state.shown, readings.length - 1);
  drawTokens(find("live-tokens"), readings);
  drawSimilarity(find("live-similar"), readings);
  if (first) choose();
  else if (readings[state.shown] === looked) show("sentences");
  else keepPlace(looked.tokens);
  tellWhatWasRead(readings);
  await search();
}

function tellWhatWasRead(readings) {
  const parts = readings.map(({ tokens, milliseconds, cut }) =>
    `${tokens.length} tokens in ${Math.round(milliseconds)} ms` +
    (cut ? " (the rest was cut off)" : ""));
  tell(`Read ${parts.join(", and ")}.`);
}

// Another sentence is shown: begin with the token that a reader would ask about.
function choose() {
  const { tokens } = state.readings[state.shown];
  const it = tokens.indexOf("it");
  state.query = it > 0 ? it : Math.min(1, tokens.length - 1);
  panel.reset();
  show();
}

// A sentence was changed: the query stays with its token, counted from either end.
function keepPlace(before) {
  const { tokens } = state.readings[state.shown];
  const fromEnd = state.query - before.length + tokens.length;
  const kept = [state.query, fromEnd].find(place => tokens[place] === before[state.query]);
  state.query = kept ?? Math.min(state.query, tokens.length - 1);
  panel.reset();
  show();
}

// Draw what depends on the chosen sentence, layer, head and query.
function show(what) {
  const reading = state.readings[state.shown];
  if (!reading) return;
  const which = find("live-which");
  which.hidden = state.readings.length < 2;
  which.querySelectorAll("input")[state.shown].checked = true;
  if (what === "sentences") return;
  if (what === "query") return takeApart(reading);
  drawMaps(find("live-maps"), reading, state, show);
  markMap(find("live-maps"), state);
  takeApart(reading);
  if (what === "all but the view") return;
  const all = find("live-all"), tooMany = hasTooManyTokens(reading);
  all.disabled = tooMany;
  find("live-one-head").hidden = !tooMany;
  showView(find("live-view"), reading, state, all.checked, layer => {
    state.layer = layer;
    show("all but the view");
  });
}

// From the stored numbers only one head can be taken apart.
function takeApart(reading) {
  const lacks = stored && !(state.layer === stored.layer && state.head === stored.head);
  drawHead(panel, lacks ? undefined : reading);
}

// Notes are read once, and again after a change.
const known = new Map();
async function search() {
  const notes = find("live-notes").value.split("\n").map(note => note.trim());
  const wanted = find("live-wanted").value;
  const texts = [...new Set(notes)].filter(note => note !== "");
  for (const text of [wanted, ...texts]) {
    if (!known.has(text)) known.set(text, (await ask("vectors", { texts: [text] }))[0]);
  }
  if (wanted !== find("live-wanted").value) return;
  drawSearch(find("live-found"), find("live-best"), known.get(wanted),
    texts.map(text => ({ text, vector: known.get(text) })));
}
