// A model's heads, each of which can be exchanged for the donor's at the last token. The
// answers to all sets of heads were computed before: bit k of a set is head k.
const {text, heads, donors} = DATA;
let donor = donors[0], chosen = 0;

const line = () => ({words: make("p", {className: "answer"}), answer: make("strong")});
const lines = {donor: line(), own: line()};
const summary = make("p", {role: "status"});

// A text, with the words marked that the other has differently.
function marked(words, others) {
  const compared = others.split(" ");
  return words.split(" ").flatMap((word, place) =>
    [word === compared[place] ? word : make("span", {className: "symbol"}, word), " "]);
}

function listed(names) {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function told(answer, names) {
  const kind = answer === donor.answer ? "the donor's answer" :
    answer === donor.answers[0] ? "its answer without an exchange" : "neither its own answer nor the donor's";
  const from = names.length ? `With ${names.length === 1 ? "head" : "heads"} ${listed(names)} from the donor` : "With its own heads";
  return `${from}, the model answers ${answer}: ${names.length ? kind : "its own answer"}.`;
}

function update() {
  const answer = donor.answers[chosen];
  lines.donor.words.replaceChildren("Donor: ", ...marked(donor.text, text), "→ ", lines.donor.answer);
  lines.own.words.replaceChildren("Text: ", ...marked(text, donor.text), "→ ", lines.own.answer);
  lines.donor.answer.textContent = donor.answer;
  lines.own.answer.textContent = answer;
  lines.own.answer.style.color = answer === donor.answer ? "var(--blue)" : "var(--ink)";
  summary.textContent = told(answer, heads.filter((_, head) => chosen >> head & 1));
  solution.disabled = !donor.smallest;
}

const switches = heads.map((name, head) => toggle(name, false, pressed => {
  chosen = pressed ? chosen | 1 << head : chosen & ~(1 << head);
  update();
}));
switches.forEach((button, head) => button.ariaLabel = `head ${heads[head]}`);

function choose(set) {
  switches.forEach((button, head) => {
    if ((button.getAttribute("aria-pressed") === "true") !== Boolean(set >> head & 1)) button.click();
  });
}
const [none, all, solution] = [["none", () => 0], ["all", () => 2 ** heads.length - 1],
  ["a smallest set with the donor's answer", () => donor.smallest]].map(([name, set]) => {
  const button = make("button", {type: "button"}, name);
  button.addEventListener("click", () => choose(set()));
  return button;
});

figure.append(
  make("div", {className: "controls"}, menu("donor with another", donors.map(({name}) => name), 0, place => {
    donor = donors[place];
    update();
  })),
  make("div", {className: "controls", role: "group", ariaLabel: "heads from the donor"}, "Heads from the donor", ...switches),
  make("div", {className: "controls"}, none, all, solution),
  lines.donor.words, lines.own.words, summary);
update();
