// What the reader has solved: remembered in this browser alone, and shown in the
// contents. EXERCISES ({page: [exercise, …]}) is written when the book is built.

// All projects at one address share a browser's storage, so the key names the book and the
// path of this edition.
const EDITION = new URL(document.documentElement.dataset.content_root, location.href).pathname;
const KEY = `the-transformer-twice.solved ${EDITION}`;
const BEFORE = "solved"; // the key of older versions, which others may use, too
const ALL = Object.values(EXERCISES).flat();

// The texts in the list stored under a key, or undefined if something else is stored.
function kept(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key));
    return Array.isArray(found) ? found.filter(name => typeof name === "string") : undefined;
  } catch {
    return undefined; // or the browser stores nothing for this page
  }
}

const solved = {
  here: undefined, // what this page knows, where the browser did not store it
  read() {
    const names = solved.here ?? kept(KEY) ?? kept(BEFORE)?.filter(name => ALL.includes(name));
    return new Set(names);
  },
  has: name => solved.read().has(name),
  // What another tab has stored meanwhile is read first, and stays.
  set(name, is) {
    const names = solved.read();
    is ? names.add(name) : names.delete(name);
    solved.write([...names]);
  },
  write(names) {
    solved.here = undefined;
    try {
      localStorage.setItem(KEY, JSON.stringify(names));
    } catch {
      solved.here = names;
    }
    dispatchEvent(new Event("solved"));
  },
};

// The count beside each chapter in the contents, once something in it is solved.
function countInContents() {
  const names = solved.read();
  document.querySelectorAll(".bd-sidebar-primary a.reference.internal").forEach(link => {
    const page = Object.keys(EXERCISES).find(page => link.pathname.endsWith(`/${page}.html`) ||
      (link.getAttribute("href") === "#" && location.pathname.endsWith(`/${page}.html`)));
    if (!page) return;
    link.querySelector(".solved-count")?.remove();
    const done = EXERCISES[page].filter(name => names.has(name)).length;
    if (!done) return;
    const count = document.createElement("span");
    count.className = "solved-count";
    count.textContent = `${done}/${EXERCISES[page].length}`;
    count.title = `${done} of ${EXERCISES[page].length} exercises solved`;
    link.append(" ", count);
  });
}

// The page that lists all exercises says how many are solved, and can forget them.
function offerReset() {
  const place = document.querySelector("article .exercise-progress");
  if (!place) return;
  const names = solved.read();
  const done = ALL.filter(name => names.has(name)).length;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Forget what I have solved";
  button.disabled = !done;
  button.addEventListener("click", () => solved.write([]));
  place.replaceChildren(`You have solved ${done} of ${ALL.length} exercises in this browser. `, button);
}

function showProgress() {
  countInContents();
  offerReset();
}
addEventListener("solved", showProgress);
// Another tab of the book, or a page that comes back as it was left.
addEventListener("storage", ({key}) => [KEY, null].includes(key) && dispatchEvent(new Event("solved")));
addEventListener("pageshow", ({persisted}) => persisted && dispatchEvent(new Event("solved")));
showProgress();
