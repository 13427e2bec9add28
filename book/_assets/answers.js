// A box under each exercise: it takes a predicted value, says what is wrong with it and
// marks the exercise as solved. A box under each question between two sections does the
// same, and marks nothing. What `verdict` compares with was computed when the book was
// built, from the list of mistakes that `check` uses. `read_answer.js` reads the answer.

const WORDS = ["no", "one", "two", "three", "four", "five", "six"];
const count = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;

// A value as Python writes it.
function inPython(value) {
  if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`;
  if (typeof value === "number") return String(Number(value.toPrecision(10)));
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
}

// What to write, for an answer that cannot be read or has another form.
function advice(wanted, right) {
  const example = wanted.match(/(?:such as|:) ([[("].*)$/)?.[1];
  const all = [right].flat(Infinity), rows = Array.isArray(right) && Array.isArray(right[0]);
  const kind = rows ? "list" : typeof all[0] === "string" ? "text" : "number";
  const many = Array.isArray(right) ? right.length : 1;
  return `Write ${WORDS[many] ?? many} ${kind}${many === 1 ? "" : "s"}, such as `
    + `${example ?? (kind === "text" ? "abc" : "1234 or 0.25")}.`;
}

function decimalsOf(number) {
  const [digits, exponent = 0] = String(number).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - exponent);
}

// The first thing that is wrong with `got`, as {text}, or null. Its form comes first.
function difference(got, want, tolerance, where = "") {
  const at = where ? `Entry ${where}` : "Your answer";
  const wrong = text => ({text: `${at} ${text}`});
  const hasOtherForm = text => ({...wrong(text), form: true});
  if (Array.isArray(want)) {
    if (!Array.isArray(got)) return hasOtherForm(`is ${inPython(got)}: wanted ${count(want.length, "entry", "entries")}.`);
    if (got.length !== want.length)
      return hasOtherForm(`has ${count(got.length, "entry", "entries")}: wanted ${want.length}.`);
    const all = want.map((part, place) => difference(got[place], part, tolerance, `${where}[${place}]`))
      .filter(found => found);
    return all.find(({form}) => form) ?? all[0] ?? null;
  }
  if (Array.isArray(got)) return hasOtherForm(`has ${count(got.length, "entry", "entries")}: wanted one ${typeof want}.`);
  if (typeof got !== typeof want) return hasOtherForm(`is ${inPython(got)}: wanted a ${typeof want}.`);
  const isRight = typeof want === "number" ? isNear(got, want, tolerance) : got === want;
  return isRight ? null : wrong(`is ${inPython(got)}, and that is not right.`);
}

function isNear(got, want, tolerance) {
  return Number.isInteger(want) && Number.isInteger(got) ? got === want
    : Math.abs(got - want) <= tolerance + tolerance * Math.abs(want);
}

// Whether each number of `got` may be the right one, rounded or cut off too early.
function isCutShort(got, want, tolerance) {
  if (Array.isArray(want))
    return Array.isArray(got) && got.length === want.length
      && want.every((part, place) => isCutShort(got[place], part, tolerance));
  if (typeof got !== "number" || typeof want !== "number") return got === want;
  const decimals = decimalsOf(got);
  const off = Math.abs(got - want), last = 10 ** -decimals;
  // A number that is a whole unit off, but for rounding errors, was not cut: 0.9 is not 1.
  const isCutOff = got * want > 0 && Math.abs(got) <= Math.abs(want) && off < 0.9999 * last;
  return isNear(got, want, tolerance) || (decimals > 0 && (isCutOff || off <= last / 2));
}

// Whether the numbers in `got` are those in `want`, rounded to as many decimals.
function isRounded(got, want) {
  const [ours, theirs] = [got, want].map(value => [value].flat(Infinity));
  const decimals = Math.max(...ours.map(decimalsOf));
  return decimals > 0 && ours.length === theirs.length
    && ours.every((number, place) => typeof number === "number"
      && Math.abs(number - theirs[place]) <= 0.5001 * 10 ** -decimals);
}

// {outcome: "right" | "mistake" | "wrong" | "empty", message, value}, where `value` is what
// was read.
function verdict({right, tolerance, wanted, mistakes, because}, text) {
  if (/^[\s.…]*$/.test(text)) return {outcome: "empty", message: "Not attempted yet."};
  // Who is asked for the n in 1 / n may write the whole fraction.
  const written = /\b1 \/ \w/.test(wanted) ? text.replace(/^\D*1\s*[/÷⁄∕]/, "") : text;
  const read = like => readAnswer(written, like);
  const {value, problem} = read(right);
  if (problem) return {outcome: "wrong", message: `${problem}. ${advice(wanted, right)}`};
  const wrong = difference(value, right, tolerance);
  if (!wrong) return {outcome: "right", message: because ? `Right. ${because}` : "Right.", value};
  const known = isLike => {
    for (const {says, value} of mistakes) {
      const {value: same} = read(value); // a mistake may have another form
      if (same !== undefined && isLike(same, value)) return {outcome: "mistake", message: says, value: same};
    }
    return undefined;
  };
  const toldAs = () => {
    if (wrong.form) return `${wrong.text} ${advice(wanted, right)}`;
    // Say no more than that: a wrong idea can give the right first decimals.
    return isCutShort(value, right, tolerance)
      ? wrong.text.replace(", and that is not right.", ": not right, or more decimals are wanted.") : wrong.text;
  };
  return known((same, value) => !difference(same, value, tolerance))
    ?? (isRounded(value, right) ? undefined : known(isRounded))
    ?? {outcome: "wrong", message: toldAs(), value};
}

// How an answer was read, if it was written in another way than the value.
function readingOf(text, value) {
  try {
    if (JSON.stringify(JSON.parse(text)) === JSON.stringify(value)) return "";
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return value === undefined || text.trim() === value ? "" : `Read as \`${inPython(value)}\``;
}

// Text in which `code` is set as code.
function withCode(text) {
  return text.split("`").map((part, place) => {
    if (place % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The box to mark an exercise as solved.
function solvedMark(name, number) {
  const solvedBox = make("input", {type: "checkbox"});
  const remember = () => solvedBox.checked = solved.has(name);
  solvedBox.addEventListener("change", () => solved.set(name, solvedBox.checked));
  addEventListener("solved", remember);
  remember();
  return make("label", {className: "solved-mark"}, solvedBox, `Exercise ${number} solved`);
}

// The field for an answer, the verdict on it, and how it was read.
function answerForm(data, whenRight) {
  const field = make("input", {type: "text", autocomplete: "off", autocapitalize: "none",
    spellcheck: false, maxLength: 1000});
  field.setAttribute("autocorrect", "off");
  const answer = make("p", {className: "verdict"});
  answer.setAttribute("role", "status");
  const reading = make("p", {className: "read-as"});
  reading.setAttribute("aria-live", "polite");
  const form = make("form", {},
    make("label", {}, make("span", {}, "Your answer", make("small", {}, `: ${data.wanted}`)), field),
    make("button", {type: "submit"}, "Check"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const typed = data.capitals ? field.value.toUpperCase() : field.value;
    const {outcome, message, value} = verdict(data, typed);
    answer.className = `verdict ${outcome}`;
    answer.replaceChildren(...withCode(message));
    reading.replaceChildren(...withCode(readingOf(typed, value)));
    if (outcome === "right") whenRight();
  });
  return [form, answer, reading];
}

function drawBox(box) {
  const name = box.dataset.exercise; // a question has none, and is not marked
  const data = JSON.parse(box.querySelector("script").textContent);
  if ("right" in data) box.append(...answerForm(data, () => name && solved.set(name, true)));
  if (name) box.append(solvedMark(name, data.number));
}

document.querySelectorAll(".answer-box").forEach(drawBox);
