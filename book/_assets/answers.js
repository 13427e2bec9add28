// A box under each exercise: it takes a predicted value and says what is wrong with it,
// and it marks the exercise as solved. What `verdict` compares with was computed when the
// book was built, by the list of mistakes that `check` uses.

// A reader's text as a value: Python's lists, tuples, strings and numbers. Brackets and
// quotation marks may be missing where it is clear what is meant.
function parsed(text, right) {
  const several = Array.isArray(right);
  const plain = text.trim().replace(/\(/g, "[").replace(/\)/g, "]").replace(/,\s*\]/g, "]")
    .replace(/'([^']*)'/g, (_, inside) => JSON.stringify(inside))
    .replace(/(\d)_(?=\d)/g, "$1").replace(/(^|[^\w.])\.(?=\d)/g, "$10.").replace(/\d\.(?=\D|$)/g, "$&0");
  const candidates = several ? [plain, `[${plain}]`] : [plain];
  for (const candidate of candidates) {
    try {
      const value = JSON.parse(candidate);
      if (Array.isArray(value) === several) return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  if (typeof right === "string") return text.trim();
  if (several && typeof right[0] === "string") return text.split(",").map(part => part.trim());
  return undefined;
}

function decimalsOf(number) {
  return String(number).split(".")[1]?.length ?? 0;
}

// The first thing that is wrong with `got`, or null.
function difference(got, want, tolerance, where = "") {
  const at = where ? `Entry ${where}` : "Your answer";
  if (Array.isArray(want)) {
    if (!Array.isArray(got)) return `${at} is ${JSON.stringify(got)}: wanted ${want.length} entries.`;
    if (got.length !== want.length)
      return `${at} has ${got.length} entries: wanted ${want.length}.`;
    for (const [place, part] of want.entries()) {
      const wrong = difference(got[place], part, tolerance, `${where}[${place}]`);
      if (wrong) return wrong;
    }
    return null;
  }
  if (typeof got !== typeof want) return `${at} is ${JSON.stringify(got)}: wanted a ${typeof want}.`;
  if (typeof want !== "number") return got === want ? null : `${at} is ${JSON.stringify(got)}, and that is not right.`;
  return isNear(got, want, tolerance) ? null : `${at} is ${got}, and that is not right.`;
}

function isNear(got, want, tolerance) {
  return Number.isInteger(want) && Number.isInteger(got) ? got === want
    : Math.abs(got - want) <= tolerance + tolerance * Math.abs(want);
}

// Whether `got` may be what is right, rounded or cut off too early: each of its numbers may.
function isCutShort(got, want, tolerance) {
  if (Array.isArray(want))
    return Array.isArray(got) && got.length === want.length
      && want.every((part, place) => isCutShort(got[place], part, tolerance));
  if (typeof got !== "number" || typeof want !== "number") return got === want;
  const decimals = decimalsOf(got);
  const off = Math.abs(got - want), last = 10 ** -decimals;
  // What is a whole unit off, but for rounding errors, is no cut: 0.9 is not 1.
  const isCutOff = got * want > 0 && Math.abs(got) <= Math.abs(want) && off < 0.9999 * last;
  return isNear(got, want, tolerance) || (decimals > 0 && (isCutOff || off <= last / 2));
}

// Whether numbers are others, rounded to the decimals that they have.
function isRounded(got, want) {
  const [ours, theirs] = [got, want].map(value => [value].flat(Infinity));
  const decimals = Math.max(...ours.map(decimalsOf));
  return decimals > 0 && ours.length === theirs.length
    && ours.every((number, place) => typeof number === "number"
      && Math.abs(number - theirs[place]) <= 0.5001 * 10 ** -decimals);
}

// {outcome: "right" | "mistake" | "wrong" | "empty", message}
function verdict({right, tolerance, wanted, mistakes}, text) {
  if (!text.trim()) return {outcome: "empty", message: "Not attempted yet."};
  const got = parsed(text, right);
  if (got === undefined)
    return {outcome: "wrong", message: `Your answer cannot be read: wanted ${wanted}.`};
  const wrong = difference(got, right, tolerance);
  if (!wrong) return {outcome: "right", message: "Right."};
  const known = isLike => mistakes.find(({value}) => {
    const same = parsed(text, value); // a mistake may have another form
    return same !== undefined && isLike(same, value);
  });
  const mistake = known((same, value) => !difference(same, value, tolerance))
    ?? (isRounded(got, right) ? undefined : known(isRounded));
  if (mistake) return {outcome: "mistake", message: mistake.says};
  // Never more than that: a wrong idea can give the first decimals of what is right.
  const message = isCutShort(got, right, tolerance)
    ? wrong.replace(", and that is not right.", ": not right, or more decimals are wanted.") : wrong;
  return {outcome: "wrong", message};
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

function drawBox(box) {
  const name = box.dataset.exercise;
  const data = JSON.parse(box.querySelector("script").textContent);
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const solvedBox = make("input", {type: "checkbox"});
  const remember = () => solvedBox.checked = solved.has(name);
  solvedBox.addEventListener("change", () => solved.set(name, solvedBox.checked));
  const mark = make("label", {className: "solved-mark"}, solvedBox, `Exercise ${data.number} solved`);
  addEventListener("solved", remember);
  remember();
  if (!("right" in data)) return box.append(mark);

  const field = make("input", {type: "text", autocomplete: "off", spellcheck: false});
  const answer = make("p", {className: "verdict"});
  answer.setAttribute("role", "status");
  const form = make("form", {},
    make("label", {}, make("span", {}, "Your answer", make("small", {}, `: ${data.wanted}`)), field),
    make("button", {type: "submit"}, "Check"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const {outcome, message} = verdict(data, field.value);
    answer.className = `verdict ${outcome}`;
    answer.replaceChildren(...withCode(message));
    if (outcome === "right") solved.set(name, true);
  });
  box.append(form, answer, mark);
}

document.querySelectorAll(".answer-box").forEach(drawBox);
