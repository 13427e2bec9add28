// A term of the glossary shows its sentence to the pointer and the keyboard, and at the
// first tap; the second tap follows the link. Until then the sentence is the link's title,
// which a browser without scripts shows by itself.
const note = Object.assign(document.createElement("div"), {
  id: "glossary-note", role: "tooltip", hidden: true,
});
document.querySelector("main").append(note);
let term = null;
let leaving;
let touched = false;

const termAt = event => event.target.closest?.("a.glossary-term");

function show(link) {
  clearTimeout(leaving);
  if (link === term) return;
  hide();
  term = link;
  note.textContent = link.title;
  if (touched) note.append(Object.assign(document.createElement("small"),
    {textContent: "Tap again to open the glossary."}));
  link.removeAttribute("title"); // or the browser would show it too
  link.setAttribute("aria-describedby", note.id);
  note.hidden = false;
  const {left, top, bottom} = link.getClientRects()[0];
  const room = document.documentElement.clientWidth - note.offsetWidth - 8;
  const below = bottom + note.offsetHeight + 12 < innerHeight;
  const origin = note.offsetParent.getBoundingClientRect();
  note.style.left = `${Math.max(8, Math.min(left, room)) - origin.left}px`;
  note.style.top =
    `${(below ? bottom + 6 : top - note.offsetHeight - 6) - origin.top}px`;
}

function hide() {
  clearTimeout(leaving);
  if (!term) return;
  term.title = note.firstChild.data;
  term.removeAttribute("aria-describedby");
  term = null;
  note.hidden = true;
}

addEventListener("pointerdown", event => {
  touched = event.pointerType === "touch";
  if (!termAt(event) && !note.contains(event.target)) hide();
});
addEventListener("pointerover", event => {
  if (event.pointerType === "touch") return;
  if (termAt(event)) show(termAt(event));
  else if (note.contains(event.target)) clearTimeout(leaving);
});
// The pointer has time to reach the sentence, which stays as long as the pointer is on it.
addEventListener("pointerout", event => {
  if (event.pointerType !== "touch" && term !== document.activeElement
    && (termAt(event) || note.contains(event.target))) leaving = setTimeout(hide, 300);
});
addEventListener("focusin", event => {
  if (termAt(event)?.matches(":focus-visible") && !touched) show(termAt(event));
});
addEventListener("focusout", event => termAt(event) && !touched && hide());
addEventListener("keydown", event => {
  touched = false;
  if (event.key === "Escape") hide();
});
addEventListener("click", event => {
  const link = termAt(event);
  if (!touched || !link || link === term) return;
  event.preventDefault();
  show(link);
}, true);
