// The search page: finds the sections that contain every word of the query.
// PAGES comes from sections.js: [address, title, [[anchor, title, text, names], …]].

const MOST_HITS = 60;
const EXCERPT = 180; // letters
const FEW_MEAN_THEM = new Set(
  "a an and are do does for how i in is it of on or the to what when which why with".split(" "));
const SECTIONS = PAGES.flatMap(([address, page, sections]) =>
  sections.map(([anchor, title, text, names], place) => ({
    address, page, anchor, title, text, names, called: title.split(", ").map(bare),
    rank: rank(address, place, text),
  })));

// Of sections that match equally well, chapters come first, then definitions.
function rank(address, place, text) {
  if (/\/\d\d_/.test(address)) return place ? 2 : 3;
  return (/\/(api|glossary)\./.test(address) ? 1.5 : 1) * (text ? 1 : 0.5);
}

// A title without its number, its article, a name's module, hyphens and spaces.
function bare(title) {
  return title.toLowerCase().replace(/^[\d.]+ |^scratch\.\w+\./, "")
    .replace(/^(the|an?) /, "").replace(/[-\s]/g, "");
}

// All dashes count as one, and so do all apostrophes, whichever is typed or on the page.
const DASH = "[-\\u2010-\\u2015\\u2212]";
const inOneForm = query => query.normalize("NFC").replace(new RegExp(DASH, "g"), "-")
  .replace(/[’‘‛ʼ′]/g, "'").replace(/[“”„‟″«»]/g, '"').replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, "");

const escaped = letters => letters.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const beginning = source => new RegExp(`(?<![\\p{L}\\p{N}])${source}`, "giu");

// "Heads" is found by "head" and by "heads", "normalize" by "normalise"; a word is found
// by its beginning.
function pattern(word) {
  const stem = word.length > 3 ? word.replace(/(?<!s)s$/i, "") : word;
  return beginning(escaped(stem)
    .replace(/([iy])[sz](?=[aei])/gi, "$1[sz]")
    .replace(/(?<=\w\w)ou?r(?!\w\w\w)/gi, "ou?r")
    .replace(/(?<=\w[aeiou])ll?(?=(ed|ing|er))/gi, "ll?")
    .replace(/gr[ae]y/gi, "gr[ae]y")
    .replace(/(?<=\w[nt])(er|re)$/i, "(?:er|re)")
    .replace(/-/g, `(?:${DASH}| )?`)
    .replace(/'/g, "['’‘]"));
}

// "Finetuning" finds "fine-tuning", and "kvcache" the KV cache.
const joined = word => beginning([...word].map(escaped).join("[-_ ]?"));

// A name from code, such as `nn.Linear(` or torch.nn.functional.gelu, without punctuation
// and without what its brackets contain.
const bareName = word => word.replace(/(?<=\w)[([].*/, "").replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
const FILE = /\.(json|txt|py|md|html|js|css|ipynb|bin|gz|toml|yml|safetensors|model)$/;
const isDotted = name => /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)+$/u.test(name) && !FILE.test(name);

let vocabulary;
// How often each word is in the book.
function words() {
  if (!vocabulary) {
    vocabulary = new Map();
    for (const {title, text, names} of SECTIONS)
      for (const word of `${title} ${text} ${names}`.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
        vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1);
  }
  return vocabulary;
}

// How many letters are wrong, added, missing or swapped with the next.
function distance(one, other) {
  let before, above = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, above] = [above, row];
  }
  return above[other.length];
}

// The nearest word of the book; of several, the most frequent one.
function meant(word) {
  const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  let best = [most + 1, 0];
  for (const [known, times] of words()) {
    if (Math.abs(known.length - word.length) > most) continue;
    const wrong = distance(word.toLowerCase(), known);
    if (wrong < best[0] || (wrong === best[0] && wrong <= most && times > best[1]))
      best = [wrong, times, known];
  }
  return best[2];
}

const holds = word => ({title, text, names}) =>
  [title, text, names].some(part => part.search(word) >= 0);

// A pattern for each word of the query, and the query as it was understood.
function understood(query) {
  // The arguments of a call are left out, with their brackets.
  let asked = inOneForm(query).replace(/(?<=\w\w)\([^()]*\)/g, " ").split(/\s+/).filter(Boolean);
  const spoken = asked.filter(word => /[\p{L}\p{N}]/u.test(word));
  if (spoken.length) asked = spoken;
  const telling = asked.filter(word => !FEW_MEAN_THEM.has(word.toLowerCase().replace("?", "")));
  if (telling.length) asked = telling.map(word => word.replace(/(?<=\w)[?!,:;.([]+$/, ""));
  const said = [], better = [];
  let changed = false;
  const patterns = asked.map(word => {
    const name = bareName(word), names = name.split("."), last = names.pop();
    const forms = [word, ...name.length > 1 ? [name] : []];
    // The last name of torch.nn.MultiheadAttention is searched for; a section that has the
    // others, too, ranks higher.
    if (isDotted(name) && last.length > 2) {
      forms.splice(0, 2, last);
      names.filter(name => name.length > 2).forEach(name => better.push(pattern(name)));
    }
    for (const form of forms) {
      const found = [pattern(form), joined(form)].find(one => SECTIONS.some(holds(one)));
      if (!found) continue;
      said.push(form === last ? names.filter(name => name.length > 2).concat(last).join(" ") : form);
      return found;
    }
    const other = meant(forms.at(-1));
    changed ||= other !== undefined;
    said.push(other ?? word);
    return pattern(other ?? word);
  });
  return {patterns, better, said: said.join(" "), changed};
}

function count(text, word) {
  return (text.match(word) ?? []).length;
}

// How well a section matches: 0 if a required word is missing. Titles count most.
function score(words, better, {title, text, names}) {
  let sum = 0;
  for (const word of [...words, ...better]) {
    const found =
      12 * Math.min(count(title, word), 1) +
      Math.min(count(text, word), 4) +
      0.5 * Math.min(count(names, word), 1);
    if (!found && words.includes(word)) return 0;
    sum += found;
  }
  return sum / Math.log(20 + title.length); // the shorter title wins
}

function find(query) {
  const {patterns, better, said, changed} = understood(query);
  if (!patterns.length) return {hits: [], words: []};
  // The glossary's other names for the same thing: "rotary positions, RoPE".
  const name = bare(said);
  const same = SECTIONS.find(({called}) => called.length > 1 && called.includes(name));
  const isIt = ({called}) => called.some(one => (same?.called ?? [name]).includes(one));
  const hits = SECTIONS
    .map(section => ({...section,
      worth: section.rank * (score(patterns, better, section) + (isIt(section) ? 100 : 0))}))
    .filter(({worth}) => worth)
    .sort((one, other) => other.worth - one.worth);
  return {hits, words: patterns, said, changed};
}

// The text around the first match, cut between words.
function excerpt(text, words) {
  const places = words.map(word => text.search(word)).filter(place => place >= 0);
  const first = places.length ? Math.max(0, Math.min(...places) - EXCERPT / 3) : 0;
  const start = first && text.indexOf(" ", first) + 1;
  const end = text.lastIndexOf(" ", start + EXCERPT);
  if (start + EXCERPT >= text.length) return (start ? "… " : "") + text.slice(start);
  return `${start ? "… " : ""}${text.slice(start, end)} …`;
}

// The text as nodes, with each matching word in a <mark>.
function marked(text, words) {
  const any = new RegExp(words.map(word => `${word.source}[\\p{L}\\p{N}]*`).join("|"), "giu");
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(any)) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    parts.push(text.slice(end, match.index), mark);
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function item({address, page, anchor, title, text}, words) {
  const link = document.createElement("a");
  link.href = document.documentElement.dataset.content_root + address + (anchor && `#${anchor}`);
  link.append(...marked(title || page, words));
  const where = document.createElement("span");
  where.className = "where";
  where.textContent = page === title ? "" : page;
  const words_around = document.createElement("p");
  words_around.append(...marked(excerpt(text, words), words));
  const entry = document.createElement("li");
  entry.append(link, where, words_around);
  return entry;
}

function show(query) {
  const {hits, words, said, changed} = find(query);
  const shown = hits.slice(0, MOST_HITS).map(hit => item(hit, words));
  document.querySelector("#search-results").replaceChildren(...shown);
  const sections = hits.length === 1 ? "1 section" : `${hits.length} sections`;
  const status = document.querySelector("#search-status");
  status.textContent = !query.trim()
    ? "Type a word or two: every section that holds them is listed."
    : hits.length > MOST_HITS
      ? `${sections} found, the best ${MOST_HITS} are shown.`
      : `${sections} found.`;
  if (!changed) return;
  const link = document.createElement("a");
  link.href = `?q=${encodeURIComponent(said)}`;
  link.textContent = said;
  status.prepend(`Not in the book: “${query.trim()}”. Did you mean “`, link, "”? ");
}

const field = document.querySelector(".bd-search-container input");
field.value = new URLSearchParams(location.search).get("q") ?? "";
field.focus();
field.addEventListener("input", () => show(field.value));
field.form.addEventListener("submit", event => {
  event.preventDefault();
  history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
});
show(field.value);
