// The search page: finds the sections that hold every word that is asked for.
// PAGES comes from sections.js: [address, title, [[anchor, title, text, names], …]].

const MOST_HITS = 60;
const EXCERPT = 180; // letters

// "Heads" is found by "head" and by "heads"; a word is found by its beginning.
function pattern(word) {
  const stem = word.length > 3 ? word.replace(/(?<!s)s$/, "") : word;
  const letters = stem.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${letters}`, "giu");
}

function count(text, word) {
  return (text.match(word) ?? []).length;
}

// How well a section answers: 0 where a word is missing. A title counts most.
function score(words, title, text, names) {
  let sum = 0;
  for (const word of words) {
    const found =
      12 * Math.min(count(title, word), 1) +
      Math.min(count(text, word), 4) +
      0.5 * Math.min(count(names, word), 1);
    if (!found) return 0;
    sum += found;
  }
  return sum / Math.log(20 + title.length); // of two titles the shorter says it better
}

function find(query) {
  const words = query.split(/\s+/).filter(Boolean).map(pattern);
  if (!words.length) return { hits: [], words };
  const hits = [];
  for (const [address, page, sections] of PAGES) {
    for (const [anchor, title, text, names] of sections) {
      const worth = score(words, title, text, names);
      if (worth) hits.push({ address, page, anchor, title, text, worth });
    }
  }
  hits.sort((one, other) => other.worth - one.worth);
  return { hits, words };
}

// The text around the first word that is found, of whole words.
function excerpt(text, words) {
  const places = words.map((word) => text.search(word)).filter((place) => place >= 0);
  const first = places.length ? Math.max(0, Math.min(...places) - EXCERPT / 3) : 0;
  const start = first && text.indexOf(" ", first) + 1;
  const end = text.lastIndexOf(" ", start + EXCERPT);
  if (start + EXCERPT >= text.length) return (start ? "… " : "") + text.slice(start);
  return `${start ? "… " : ""}${text.slice(start, end)} …`;
}

// The text as nodes, each word that was asked for in a <mark>.
function marked(text, words) {
  const any = new RegExp(words.map((word) => `${word.source}[\\p{L}\\p{N}]*`).join("|"), "giu");
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

function item({ address, page, anchor, title, text }, words) {
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
  const { hits, words } = find(query);
  const shown = hits.slice(0, MOST_HITS).map((hit) => item(hit, words));
  document.querySelector("#search-results").replaceChildren(...shown);
  const sections = hits.length === 1 ? "1 section" : `${hits.length} sections`;
  document.querySelector("#search-status").textContent = !query.trim()
    ? "Type a word or two: every section that holds them is listed."
    : hits.length > MOST_HITS
      ? `${sections} found, the best ${MOST_HITS} are shown.`
      : `${sections} found.`;
}

const field = document.querySelector(".bd-search-container input");
field.value = new URLSearchParams(location.search).get("q") ?? "";
field.focus();
field.addEventListener("input", () => show(field.value));
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
});
show(field.value);
