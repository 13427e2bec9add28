// Beam search as a tree, step by step. `after` maps the beginnings that a search can
// reach, their ids joined by spaces, to the likeliest next tokens and their log-probabilities.
const {after, tokens, eos_id, max_steps, widest} = DATA;
const BOX = 106, COLUMN = BOX + 26, ROW = 30;
let width = 2;
let step = 1; // something to see at once

// The states of a search: which texts are in the beam, and which have ended.
function search() {
  const states = [{beam: [{ids: [], score: 0}], ended: [], tried: []}];
  while (states.length <= max_steps) {
    const {beam, ended} = states.at(-1);
    const best = Math.max(...ended.map(({score}) => score));
    if (!beam.length || beam.every(({score}) => score <= best)) break;
    const tried = beam.flatMap(({ids, score}) => after[ids.join(" ")].map(([id, log_p]) =>
      ({ids: [...ids, id], score: score + log_p})));
    tried.sort((a, b) => b.score - a.score);
    const kept = tried.slice(0, width);
    const over = ({ids}) => ids.at(-1) === eos_id;
    states.push({beam: kept.filter(text => !over(text)), ended: [...ended, ...kept.filter(over)],
      tried: tried.map(text => ({...text, kept: kept.includes(text)}))});
  }
  return states;
}

const tree = make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: "tree of beginnings"});
const summary = make("p", {role: "status"});
const forward = make("button", {type: "button"}, "Next step");
const back = make("button", {type: "button"}, "Step back");
const percent = score => `${(100 * Math.exp(score)).toPrecision(2)} %`;
const write = ids => ids.map(id => tokens[id]).join(" ");
const whole = ids => ids.length > 1 ? `“${write(ids.slice(0, -1))}”` : "(the empty text)";

// Each column holds the continuations tried in one step, the best `shown` of them.
function drawing(states) {
  const shown = width + 2;
  const places = new Map([["", [8, 14]]]);
  const marks = [draw("text", {x: 8, y: 18}, "start")];
  states.slice(1).forEach(({tried}, column) => {
    tried.slice(0, shown).forEach(({ids, score, kept}, row) => {
      const [x, y] = [60 + COLUMN * column, 14 + ROW * row];
      const [fromX, fromY] = places.get(ids.slice(0, -1).join(" "));
      places.set(ids.join(" "), [x + BOX, y]);
      const title = draw("title", {}, `${write(ids)}: ${percent(score)}`);
      marks.push(draw("line", {x1: fromX + (fromX === 8 ? 30 : 0), y1: fromY, x2: x, y2: y, class: kept ? "kept" : "dropped"}));
      marks.push(draw("g", {class: kept ? "kept" : "dropped"}, title,
        draw("rect", {x, y: y - 12, width: BOX, height: 24, rx: 4}),
        draw("text", {x: x + 5, y: y + 4}, tokens[ids.at(-1)]),
        draw("text", {x: x + BOX - 4, y: y + 4, "text-anchor": "end", class: "number"}, percent(score))));
    });
  });
  const [across, down] = [60 + COLUMN * Math.max(1, states.length - 1), 8 + ROW * (widest + 2)];
  return draw("svg", {width: across, height: down, role: "img", class: "tree",
    "aria-label": `Search tree after ${states.length - 1} steps.`}, ...marks);
}

function update() {
  const states = search();
  step = Math.min(step, states.length - 1);
  const {beam, ended} = states[step];
  tree.replaceChildren(drawing(states.slice(0, step + 1)));
  const best = [...ended].sort((a, b) => b.score - a.score)[0];
  const lines = beam.map(({ids, score}) => `“${write(ids)} …” ${percent(score)}`);
  summary.textContent = `Step ${step} of ${states.length - 1}. ` +
    (lines.length ? `In the beam: ${step ? lines.join(", ") : "the empty beginning"}. ` : "") +
    (best ? `Best finished text: ${whole(best.ids)} ${percent(best.score)}.` : "");
  forward.disabled = step === states.length - 1;
  back.disabled = step === 0;
  tree.scrollLeft = tree.scrollWidth;
}

forward.addEventListener("click", () => {
  step += 1;
  update();
});
back.addEventListener("click", () => {
  step -= 1;
  update();
});
figure.append(
  make("p", {}, DATA.context),
  make("div", {className: "controls"},
    slider("beam_size", {min: 1, max: widest, step: 1, value: width}, String, value => {
      width = value;
      step = 1;
      update();
    }), forward, back),
  tree,
  summary);
update();
