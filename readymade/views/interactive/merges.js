// Byte-pair encoding on the reader's own text, merge by merge.
const field = make("input", {type: "text", value: DATA.text, maxLength: 400});
const steps = make("div", {className: "words", role: "group", ariaLabel: "the words, cut into symbols"});
const counts = make("tbody");
const summary = make("p", {role: "status"});
const forward = make("button", {type: "button"}, "Merge the most frequent pair");
const back = make("button", {type: "button"}, "Undo");
const finish = make("button", {type: "button"}, "Merge until no pair occurs twice");
let history = [];

// Every state: the symbols of each different word, how often it occurs, and all symbols
// known so far, in the order of their ids.
function start(text) {
  const words = new Map();
  for (const word of text.toLowerCase().split(/\s+/u).filter(Boolean))
    words.set(word, (words.get(word) ?? 0) + 1);
  const cut = [...words].map(([word, times]) => ({symbols: [...word], times}));
  const letters = [...new Set(cut.flatMap(({symbols}) => symbols))];
  return {words: cut, known: letters.sort((a, b) => a.codePointAt() - b.codePointAt()), merged: null};
}

// All neighbours with their counts, the pair to merge next first. Of equal counts, the
// pair whose first symbol has the lower id wins, and then the one whose second has.
function rankedPairs({words, known}) {
  const found = new Map();
  for (const {symbols, times} of words)
    for (let place = 1; place < symbols.length; place++) {
      const pair = [symbols[place - 1], symbols[place]];
      const key = JSON.stringify(pair);
      found.set(key, {pair, times: (found.get(key)?.times ?? 0) + times});
    }
  const id = symbol => known.indexOf(symbol);
  return [...found.values()].sort((a, b) => b.times - a.times ||
    id(a.pair[0]) - id(b.pair[0]) || id(a.pair[1]) - id(b.pair[1]));
}

function mergePair(symbols, [left, right]) {
  const merged = [];
  let last = null; // the symbol before, if it can still be the left half
  for (const symbol of symbols) {
    if (last === left && symbol === right) {
      merged[merged.length - 1] = left + right;
      last = null;
    } else merged.push(last = symbol);
  }
  return merged;
}

function merged(state) {
  const [{pair}] = rankedPairs(state);
  const words = state.words.map(({symbols, times}) => ({symbols: mergePair(symbols, pair), times}));
  return {words, known: [...state.known, pair.join("")], merged: pair};
}

function update() {
  const state = history.at(-1);
  const pairs = rankedPairs(state);
  const fresh = state.merged?.join("");
  steps.replaceChildren(...state.words.map(({symbols, times}) => make("span", {className: "word"},
    ...symbols.map(symbol => make("span", {className: symbol === fresh ? "symbol fresh" : "symbol"}, symbol)),
    times > 1 ? make("small", {}, ` × ${times}`) : "")));
  counts.replaceChildren(...pairs.slice(0, 6).map(({pair, times}) =>
    make("tr", {}, make("th", {scope: "row"}, pair.join(" + ")), make("td", {}, String(times)))));
  const tokens = state.words.reduce((sum, {symbols, times}) => sum + symbols.length * times, 0);
  summary.textContent = `${history.length - 1} ${history.length === 2 ? "merge" : "merges"}` +
    (fresh ? `, the last one ${state.merged.join(" + ")}` : "") +
    `. Vocabulary: ${state.known.length} symbols. The text: ${tokens} tokens.`;
  back.disabled = history.length === 1;
  finish.disabled = !(pairs[0]?.times > 1);
  forward.disabled = !pairs.length;
}

forward.addEventListener("click", () => {
  history.push(merged(history.at(-1)));
  update();
});
finish.addEventListener("click", () => {
  while (rankedPairs(history.at(-1))[0]?.times > 1) history.push(merged(history.at(-1)));
  update();
});
back.addEventListener("click", () => {
  history.pop();
  update();
});
function read() {
  history = [start(field.value)];
  update();
}
field.addEventListener("input", read);

figure.append(
  make("div", {className: "controls"}, make("label", {className: "wide"}, "Your text", field)),
  make("div", {className: "controls"}, forward, finish, back),
  summary,
  make("div", {className: "row"}, steps,
    make("table", {}, make("caption", {}, "Pairs, the most frequent first"), counts)));
read();
