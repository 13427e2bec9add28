// Reads what is written into an answer box as a value: what Python and its libraries print,
// what phones make of what is typed, and what people write by hand.
//
// `readAnswer(text, like)` returns {value}, or {problem} in words. `like` is a value of the
// wanted form. It decides what a comma or a space between digits means: 1,234 is two numbers
// where two are wanted, and one where one is. Beyond its form, all that is used of it is
// whether its numbers are whole.

// ---- One sign for each meaning ----

const SIGNS = [
  [/[‘’‚‛′´`]/g, "'"], [/[“”„‟″«»]/g, '"'],
  [/[⁺⁻]?[⁰¹²³⁴-⁹]+/g, "^($&)"], [/\d(?=[¼-¾⅐-⅞])/g, "$&+"], // 10⁻² and 1½
];
const MINUS = [[/[\u2010-\u2015\u2212]/g, "-"], [/[\u200b-\u200f\u2060-\u2064\ufeff]/g, ""]];
const PRINTED = [
  [/#.*/, ""], [/^\s*>>>/, ""], [/<[^<>]*\b(?:numpy|value)=(.*)>/g, "$1"],
  [/,\s*(?:dtype|device|grad_fn|requires_grad|shape|size)\s*=\s*(?:<[^>]*>|\([^)]*\)|["'][^"']*["']|[\w.]+)/g, ""],
];
const ARITHMETIC = [
  [/\p{Nd}/gu, digit => digitOf(digit.codePointAt(0))], [/٫/g, "."], [/[٬،、]/g, ","], [/؛/g, ";"], [/٪/g, "%"],
  [/[×·⋅∙∗]|\\cdot|\\times/g, "*"], [/(\d)\s*[xX]\s*(?=\d)/g, "$1*"], [/\*\*/g, "^"], [/[÷⁄∕]/g, "/"],
  [/√|\\sqrt/g, "sqrt "], [/π/g, "pi "], [/∞|\\infty/g, "inf "], [/[≈≃≅∼~]|\\approx/g, "="],
];
const LATEX = [
  [/\$|\\(?:left|right|[,;:! ])/g, " "], [/\\(?:text|mathrm)\{([^{}]*)\}/g, " $1"], [/\{,\}/g, ","],
  [/(sqrt\s*|\^)\{([^{}]*)\}/g, "$1($2)"], [/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "(($1)/($2))"], [/\\/g, ""],
];

const ARROW = /(?:[-=]+>|[→⇒⟶⟹⇨⇾↦↝↠➔➙➛-➯➱-➾]\ufe0f?|\\(?:to|mapsto|(?:long)?rightarrow)(?![a-z]))/giu;
const ENTRY = /(?:[\d)\]}%"']|\b(?:true|false|none|inf|nan|pi|e))\s*$/i;

// An arrow leads from one entry to the next: D → C → E. After the name of a number, or
// where one number is wanted, it leads to the value.
const withoutArrows = (text, hasMany) => text.replace(
  ARROW, (arrow, place) => hasMany && ENTRY.test(text.slice(0, place)) ? "; " : " = ");

// The ten digits of an alphabet have consecutive codes, 0 first.
function digitOf(code) {
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

const rewritten = (text, rules) => rules.reduce((sofar, [from, to]) => sofar.replace(from, to), text);
const withPlainSigns = text => rewritten(rewritten(text, SIGNS).normalize("NFKC"), MINUS);

// ---- Numbers: words, signs and digits, in one of several ways ----

// How digits are grouped, and which sign starts the decimals. `commas` and `spaces` say where
// these separate numbers; without them, everywhere.
const END = "(?!\\d)", POWER = "(?:[eE][+-]?\\d+)?", GROUP = "[1-9]\\d{0,2}";
const PLAIN = `(?:${GROUP}(?:'\\d{3})+(?:\\.\\d*)?|\\d[\\d_]*(?:\\.\\d*)?|\\.\\d+)${POWER}`;
const WAYS = {
  point: { number: PLAIN },
  thousands: { number: `${GROUP}(?:,\\d{3})+(?:\\.\\d*)?${END}|${PLAIN}` },
  spaces: { number: `${GROUP}(?: \\d{3})+(?:\\.\\d*)?${END}|${PLAIN}`, spaces: "never" },
  dots: { number: `${GROUP}(?:\\.\\d{3})+${END}|\\d+`, commas: "never", spaces: "never", point: "," },
  comma: { number: `(?:${GROUP}(?:[. ]\\d{3})+(?=,\\d)|\\d[\\d_]*)(?:,\\d+)?${POWER}`, commas: "never", point: "," },
  commas: { number: `\\d[\\d_]*(?:,\\d+)?${POWER}`, commas: "before a space", point: "," },
  shape: { number: PLAIN, times: true }, // 2 × 3 × 4 is not a product
};
// In the order in which they are tried.
const OF_WHOLE = ["point", "thousands", "spaces", "dots", "comma", "commas", "shape"];
const OF_DECIMALS = ["point", "comma", "thousands", "spaces", "commas", "shape"];

const CONSTANTS = {
  __proto__: null, // “constructor” is not one of them
  pi: Math.PI, e: Math.E, inf: "inf", infinity: "inf", nan: "nan", true: true, false: false, none: null, null: null,
};
const FUNCTIONS = {
  __proto__: null,
  sqrt: Math.sqrt, exp: Math.exp, ln: Math.log, log: Math.log, log2: Math.log2, log10: Math.log10,
};
// Types: called with a value, they say how it is stored.
const TYPE = /^((as)?array|(as_)?tensor|constant|variable|parameter|size|tensorshape|list|tuple|(frozen)?set|dict(_values)?|deque|print|decimal|b?float\d*|u?int\d*|bool_?)$/;

class Unreadable extends Error {}
const refuse = text => { throw new Unreadable(text); };
const isList = tree => Array.isArray(tree?.items);

// The parts of a text: {kind, value, text, spaced}, with `spaced` after white space.
function partsOf(text, { number, point = "." }) {
  const part = new RegExp(`([\\s"']*)(?:(${number})|([\\p{L}_][\\p{L}\\d_.]*)|([^\\s"']))`, "gyu");
  return [...text.matchAll(part)].map(([, space, digits, name, sign]) => {
    const spaced = space !== "", text = digits ?? name ?? sign;
    if (name) return { kind: "name", value: name.replace(/\.$/, "").split(".").at(-1), text, spaced };
    if (sign) return { kind: sign, value: sign, text, spaced };
    const [whole, decimals] = digits.split(point).map(part => part.replace(/[,._' ]/g, ""));
    return { kind: "number", value: Number(decimals ? `${whole}.${decimals}` : whole), text, spaced };
  });
}

// Lists in lists of what the parts say: {items, between}, with the separators in `between`.
class Reader {
  constructor(text, way) {
    Object.assign(this, { way, parts: partsOf(text, way), at: 0 });
  }

  is(kinds, ahead = 0) {
    const part = this.parts[this.at + ahead];
    return part !== undefined && kinds.includes(part.kind);
  }

  isName(pattern, ahead = 0) {
    return this.is(["name"], ahead) && pattern.test(this.parts[this.at + ahead].value.toLowerCase());
  }

  // A word that has no meaning in a calculation: the name of a number, or its unit.
  isWord(ahead = 0) {
    if (!this.is(["name"], ahead) || this.isName(/^(and|or|not)$/, ahead)) return false;
    const name = this.parts[this.at + ahead].value.toLowerCase(), after = this.parts[this.at + ahead + 1];
    const isCalled = after?.kind === "(" && (!after.spaced || TYPE.test(name));
    return !(name in CONSTANTS || name in FUNCTIONS || isCalled);
  }

  isEnd(ahead = 0) {
    return this.at + ahead >= this.parts.length || this.is(",;|&)]}", ahead);
  }

  take(kinds) {
    return this.is(kinds) ? this.parts[this.at++] : undefined;
  }

  // Up to a closing bracket or the end: a missing bracket is added in thought.
  list(isOpen) {
    let items = [], between = [], separator;
    while (this.at < this.parts.length) {
      if (this.take(")]}")) {
        if (isOpen) break;
        items = [{ items, between }];
        between = [];
      } else if (this.is(",;|&") || this.isName(/^and$/)) {
        separator = this.separator(separator);
      } else {
        if (items.length) between.push(separator ?? this.gap());
        items.push(this.element());
        separator = undefined;
      }
    }
    return { items, between, ended: separator !== undefined };
  }

  separator(before) {
    const { kind } = this.parts[this.at++], { commas } = this.way;
    const spaced = this.parts[this.at]?.spaced ?? true;
    if (kind === "," && (commas === "never" || commas && !spaced)) refuse("A comma can be read in two ways");
    if (kind === "name") return before ?? "and";
    return kind === "," ? before ?? "," : ";";
  }

  gap() {
    if (this.way.times && this.take("*")) return "*";
    const { spaced, text } = this.parts[this.at];
    if (!spaced && !this.is("([{") || this.way.spaces === "never") refuse(`“${text}” is not understood here`);
    return " ";
  }

  // A value, followed by its unit. What comes before it, with or without = or :, is its name.
  element() {
    let value;
    for (;;) {
      const start = this.at;
      while (this.isWord() || value !== undefined && this.isUnitGoingOn()) this.at++;
      const words = this.parts.slice(start, this.at).map(({ text }) => text).join(" ").slice(0, 60);
      if (this.is("=:") && value !== undefined && words) {
        this.at = start; // they name the next value
        return value;
      }
      if (this.take("=:")) value = undefined;
      else if (value !== undefined) return value;
      else if (this.isEnd() || words && this.is("*/^")) refuse(`“${words || this.parts[this.at - 1].text}” is not a number`);
      else value = this.sum();
    }
  }

  // GB / s, weights and biases.
  isUnitGoingOn() {
    return this.isWord(1) && (this.is("/") || this.isName(/^and$/) && this.isEnd(2));
  }

  sum() {
    let value = this.product();
    // [1 -2] are two numbers, and [1 - 2] and [1-2] are one.
    while (this.is("+-") && (!this.parts[this.at].spaced || this.parts[this.at + 1]?.spaced)) {
      const sign = this.take("+-").kind === "+" ? 1 : -1;
      value = numeric(value) + sign * numeric(this.product());
    }
    return value;
  }

  product() {
    let value = this.signed();
    for (;;) {
      if (!this.way.times && this.take("*")) value = numeric(value) * numeric(this.signed());
      else if (this.take("/")) value = numeric(value) / numeric(this.signed());
      else if (this.isName(/^(pi|sqrt|ln|log|e)$/) && !this.parts[this.at].spaced) {
        value = numeric(value) * numeric(this.signed()); // 2π
      } else return value;
    }
  }

  signed() {
    if (this.take("+")) return this.signed();
    if (this.take("-")) {
      const value = this.signed();
      return value === "inf" ? "-inf" : -numeric(value);
    }
    const value = this.atom();
    if (this.take("^")) return numeric(value) ** numeric(this.signed());
    return this.take("%") || this.isName(/^percent$/) && this.take(["name"])
      ? Number((numeric(value) / 100).toPrecision(15)) : value;
  }

  atom() {
    if (this.is("([{")) return this.bracket();
    const part = this.take(["number", "name"]);
    if (part?.kind === "number") return part.value;
    if (!part) refuse(`“${(this.parts[this.at] ?? this.parts.at(-1)).text}” is not understood here`);
    const name = part.value.toLowerCase();
    if (name in FUNCTIONS) return FUNCTIONS[name](numeric(this.signed()));
    if (name === "fraction" && this.is("(")) {
      const [above, below = 1] = this.bracket().items ?? [];
      return numeric(above) / numeric(below);
    }
    if (TYPE.test(name) && this.is("(")) return this.bracket();
    if (name in CONSTANTS && !this.is("(")) return CONSTANTS[name];
    return refuse(`“${part.text}” is not a number`);
  }

  bracket() {
    const round = this.take("([{").kind === "(", inner = this.list(true);
    return round && inner.items.length === 1 && !inner.ended ? inner.items[0] : inner;
  }
}

function numeric(value) {
  return typeof value === "number" ? value : refuse("That is no calculation with numbers");
}

// ---- Texts ----

const TEXT = /"([^"]*)"|'([^']*)'|((?:\[[A-Z]+\]|[^\s,;|&()[\]{}"])+)|([,;|&])|([([{])|([)\]}])/g;

function textsOf(text, hasAnd) {
  const open = [[]];
  let words = [];
  const finish = (...more) => {
    if (words.length) open.at(-1).push(words.join(" "));
    open.at(-1).push(...more);
    words = [];
  };
  const close = () => {
    const inner = open.pop();
    if (!open.length) open.push([]);
    open.at(-1).push(inner);
  };
  for (const [found, double, single, word, , opening, closing] of text.matchAll(TEXT)) {
    const quoted = double ?? single;
    if (word && !(hasAnd && word === "and")) words.push(word);
    else finish(...quoted === undefined ? [] : [quoted.trim()]);
    if (opening) open.push([]);
    if (closing) close();
  }
  finish();
  while (open.length > 1) close();
  return open[0].length === 1 && Array.isArray(open[0][0]) ? open[0][0] : open[0];
}

const joined = text => [text].flat(Infinity).join(" ").split(/\s+/).join(" ");

function readTexts(text, like) {
  const withoutDollars = withPlainSigns(text).trim().replace(/^\$(.*)\$$/, "$1");
  const plain = withoutDollars.replace(ARROW, "; ").replace(/^\w+\s*[=:]\s*/, "").replace(/[.!]$/, "");
  if (Array.isArray(like)) {
    const ways = [false, true].map(hasAnd => textsOf(plain, hasAnd).map(joined));
    return ways.find(texts => texts.length === like.length) ?? ways[0];
  }
  // Pieces with a space between them, or letters with nothing.
  const pieces = joined(textsOf(plain, false)).replace(/\d+\s*[=:.)]?/g, /\d/.test(like) ? "$&" : " ");
  return pieces.split(/[\s/+·•.>␣_-]+/).filter(piece => piece).join(like.includes(" ") ? " " : "");
}

// ---- The value ----

const strengths = [";", "and", ",", " ", "*"];

// Rows without brackets: 1 2; 3 4.
function rowsOf({ items, between }) {
  const strongest = strengths.find(kind => between.includes(kind)), rows = [{ items: [], between: [] }];
  items.forEach((item, place) => {
    if (place && between[place - 1] === strongest) rows.push({ items: [], between: [] });
    else if (place) rows.at(-1).between.push(between[place - 1]);
    rows.at(-1).items.push(item);
  });
  return rows;
}

// What a tree says in the form of `like`, or undefined.
function fitted(tree, like) {
  if (isList(tree) && tree.items.length === 1 && isList(tree.items[0]) && tree.outermost) tree = tree.items[0];
  if (!Array.isArray(like)) {
    const only = isList(tree) && tree.items.length === 1 ? tree.items[0] : tree;
    return isList(only) ? undefined : only;
  }
  if (!isList(tree)) return undefined;
  const nested = like.some(Array.isArray);
  const items = nested && !tree.items.some(isList) ? rowsOf(tree) : tree.items;
  if (!nested && new Set(tree.between.filter(kind => kind !== "and")).size > 1) return undefined;
  if (items.length !== like.length) return undefined;
  const values = items.map((item, place) => fitted(item, like[place]));
  return values.includes(undefined) ? undefined : values;
}

const asItIs = tree => (isList(tree) ? tree.items.map(asItIs) : tree);

function readAnswer(text, like) {
  const all = [like].flat(Infinity), isWhole = value => [value].flat(Infinity).every(Number.isInteger);
  if (typeof all[0] === "string") return { value: readTexts(text, like) };
  const printed = withoutArrows(rewritten(withPlainSigns(text), PRINTED), Array.isArray(like));
  const plain = rewritten(printed, [...ARITHMETIC, ...LATEX]);
  if (/\.\.+/.test(plain)) return { problem: "Your answer is cut short by “…”" };
  const read = [];
  let problem;
  for (const way of isWhole(like) ? OF_WHOLE : OF_DECIMALS) {
    try {
      read.push({ ...new Reader(plain, WAYS[way]).list(false), outermost: true });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problem ??= error.message;
    }
  }
  if (!read.length) return { problem };
  const fitting = read.map(tree => fitted(tree, like)).filter(value => value !== undefined);
  const [value] = isWhole(like) ? [...fitting.filter(isWhole), ...fitting] : fitting;
  if (value !== undefined) return { value };
  const [{ items }] = read;
  return { value: asItIs(items.length === 1 ? items[0] : { items }) };
}
