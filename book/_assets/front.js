// The front page's picture: what a Transformer makes of a text before its first layer.
// Words are cut into tokens by the merges that chapter 1 learns (byte-pair encoding), and
// each position has a column of waves (chapter 2). It is drawn again at every key press.
const picture = document.querySelector(".front-picture");
const stage = picture.querySelector(".front-stage");
const field = picture.querySelector("input");
const ranks = new Map(JSON.parse(picture.querySelector("script").textContent)
  .map((pair, rank) => [pair.join(" "), rank]));
const WAVES = 24; // entries of a position's vector that are drawn
const D_MODEL = 64;

// GPT-2's printable characters for the 256 bytes, and back.
const printable = byte => byte > 32 && byte < 127 || byte > 160 && byte !== 173;
let next = 256;
const alphabet = Array.from({length: 256}, (_, byte) =>
  String.fromCharCode(printable(byte) ? byte : next++));
const bytes = new Map(alphabet.map((character, byte) => [character, byte]));
const WORD = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

// The tokens of a word: merge the pair that was learned earliest, until none is left.
function tokensOf(word) {
  const symbols = [...new TextEncoder().encode(word)].map(byte => alphabet[byte]);
  for (;;) {
    const found = symbols.slice(1).map((symbol, place) =>
      ranks.get(`${symbols[place]} ${symbol}`) ?? Infinity);
    const best = Math.min(...found);
    if (best === Infinity) return symbols;
    for (let place = 0; place < symbols.length - 1; place++)
      if (ranks.get(`${symbols[place]} ${symbols[place + 1]}`) === best)
        symbols.splice(place, 2, symbols[place] + symbols[place + 1]);
  }
}

function tokenize(text) {
  return (text.match(WORD) ?? []).flatMap(tokensOf);
}

// A token in readable form; part of a character is shown by its bytes.
function readable(token) {
  const text = new TextDecoder().decode(Uint8Array.from(token, letter => bytes.get(letter)));
  return text.includes("\ufffd") ? [...token].map(l => bytes.get(l).toString(16)).join(" ")
    : text.replace(/\s/g, "␣");
}

// A column of colours: entry i of position t, sin or cos of t / 10000^(2i / d_model).
function column(position) {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: WAVES});
  const brush = canvas.getContext("2d");
  for (let entry = 0; entry < WAVES; entry++) {
    const angle = position / 10_000 ** ((entry - entry % 2) / D_MODEL);
    const value = entry % 2 ? Math.cos(angle) : Math.sin(angle);
    brush.fillStyle = value < 0 ? "#d55e00" : "#0072b2";
    brush.globalAlpha = Math.abs(value);
    brush.fillRect(0, entry, 1, 1);
  }
  return canvas;
}

let before = [];
function show() {
  const tokens = tokenize(field.value);
  stage.replaceChildren(...tokens.map((token, position) => {
    const box = document.createElement("div");
    box.className = before[position] === token ? "front-token" : "front-token new";
    const name = document.createElement("span");
    name.textContent = readable(token);
    box.append(name, column(position));
    return box;
  }));
  stage.ariaLabel = `${tokens.length} ${tokens.length === 1 ? "token" : "tokens"}: ${tokens.map(readable).join(", ")}`;
  before = tokens;
}
field.addEventListener("input", show);
show();
