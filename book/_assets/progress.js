// What the reader has solved: remembered in this browser alone, and shown in the
// contents. EXERCISES ({page: [exercise, …]}) is written when the book is built.
const solved = {
  read() {
    try {
      return new Set(JSON.parse(localStorage.getItem("solved") ?? "[]"));
    } catch (error) {
      if (error.name !== "SecurityError" && !(error instanceof SyntaxError)) throw error;
      return new Set(); // this browser keeps nothing for this page
    }
  },
  has: name => solved.read().has(name),
  set(name, is) {
    const names = solved.read();
    is ? names.add(name) : names.delete(name);
    solved.write([...names]);
  },
  write(names) {
    try {
      localStorage.setItem("solved", JSON.stringify(names));
    } catch (error) {
      if (error.name !== "SecurityError" && error.name !== "QuotaExceededError") throw error;
    }
    dispatchEvent(new Event("solved"));
  },
};

// The count after each chapter of the contents, once something is solved in it.
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
  const all = Object.values(EXERCISES).flat();
  const place = document.querySelector("article .exercise-progress");
  if (!place) return;
  const done = all.filter(solved.has).length;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Forget what I have solved";
  button.disabled = !done;
  button.addEventListener("click", () => solved.write([]));
  place.replaceChildren(`You have solved ${done} of ${all.length} exercises in this browser. `, button);
}

function showProgress() {
  countInContents();
  offerReset();
}
addEventListener("solved", showProgress);
addEventListener("storage", showProgress); // another tab of the book
showProgress();
