// One question, asked after each stage of training. The shade of a token is the
// probability that the model gave it.
const {questions, stages} = DATA;
let asked = 0, shown = longest();

const choice = make("select", {ariaLabel: "question"},
  ...questions.map((text, place) => make("option", {value: place}, text)));
// A long question does not widen a narrow page, and a finger hits the menu.
Object.assign(choice.style, {maxWidth: "100%", minHeight: "28px"});
const rows = stages.map(({name}) => ({
  title: make("strong", {}, name), verdict: make("span"), text: make("p", {className: "answer"})}));
const summary = make("p", {role: "status"});

function longest() {
  return Math.max(...stages.map(({answers}) => answers[asked].length));
}

function update() {
  rows.forEach(({verdict, text}, stage) => {
    const answer = stages[stage].answers[asked];
    text.replaceChildren(...answer.slice(0, shown).flatMap(([token, probability]) => {
      const word = make("span", {className: "symbol", title: `probability ${probability.toFixed(2)}`}, token);
      word.style.color = "var(--ink)";
      word.style.background = `rgb(var(--blue-rgb) / ${0.05 + 0.45 * probability})`;
      return [word, " "];
    }));
    const whole = shown >= answer.length;
    verdict.textContent = whole ? (stages[stage].right[asked] ? " right" : " not an answer, or wrong") : " …";
  });
  const ended = rows.filter((_, stage) => shown >= stages[stage].answers[asked].length).length;
  summary.textContent = `${shown} of at most ${longest()} tokens; ${ended} of ${rows.length} answers are whole.`;
  next.disabled = shown >= longest();
}

const next = make("button", {type: "button"}, "next token");
next.addEventListener("click", () => { shown += 1; update(); });
const all = make("button", {type: "button"}, "whole answers");
all.addEventListener("click", () => { shown = longest(); update(); });
const again = make("button", {type: "button"}, "from the start");
again.addEventListener("click", () => { shown = 1; update(); });
choice.addEventListener("change", () => { asked = Number(choice.value); shown = longest(); update(); });

figure.append(
  make("div", {className: "controls", role: "group", ariaLabel: "question and tokens"}, choice, next, all, again),
  summary,
  ...rows.map(({title, verdict, text}) => make("section", {}, make("div", {}, title, verdict), text)));
update();
