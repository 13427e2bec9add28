// Requests in slots, and their keys and values in blocks, step by step.
const {prompts, answers} = DATA; // how many tokens each has
const ROW = 20, LEFT = 46, ROOM = figure.clientWidth - LEFT - 2;
const SIZES = [1, 2, 4, 8, 16, 32];
const POLICIES = ["static", "continuous"];
const name = place => String.fromCharCode(65 + place);
let {gap, slots, size, policy} = DATA;
let runs = [], now = 0;

// As `Schedule`: a request that finds a slot reads its prompt and writes its first token;
// then each that runs writes one. Static: slots are given out only when all are free.
function run(policy) {
  const tasks = prompts.map((prompt, place) => ({place, prompt, arrival: Math.floor(place * gap), tokens: 0}));
  const moments = [];
  let running = [];
  for (let time = 0; tasks.some(task => task.last === undefined); time++) {
    if (POLICIES[policy] === "continuous" || !running.length)
      for (const task of tasks) {
        if (running.length === slots || task.arrival > time) break;
        if (task.first !== undefined) continue;
        const taken = running.map(({slot}) => slot);
        task.slot = [...Array(slots).keys()].find(slot => !taken.includes(slot));
        task.first = time;
        task.tokens = task.prompt + 1;
        running.push(task);
      }
    const rows = running.map(({place, slot, tokens}) => ({place, slot, tokens, blocks: Math.ceil(tokens / size)}));
    const sum = count => rows.reduce((total, row) => total + count(row), 0);
    moments.push({rows, taken: size * sum(row => row.blocks), used: sum(row => row.tokens)});
    for (const task of running) {
      task.tokens += 1;
      if (task.tokens === task.prompt + answers[task.place]) task.last = time;
    }
    running = running.filter(task => task.last === undefined);
  }
  const waits = tasks.map(task => task.first - task.arrival + 1);
  const fullest = moments.reduce((best, one) => one.taken > best.taken ? one : best);
  return {tasks, moments, steps: moments.filter(({rows}) => rows.length).length, taken: fullest.taken, used: fullest.used,
    mean: (waits.reduce((total, wait) => total + wait, 0) / waits.length).toFixed(1), longest: Math.max(...waits)};
}

// Rows of a drawing, one for each slot.
function lines(marks, label) {
  const names = [...Array(slots).keys()].map(slot => draw("text", {x: 0, y: ROW * slot + 15}, `slot ${slot + 1}`));
  const size = {width: LEFT + ROOM + 2, height: ROW * slots + 14};
  return draw("svg", {...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label}, ...names, ...marks);
}
const box = (x, slot, width, kind) => draw("rect", {x, y: ROW * slot + 2, width, height: ROW - 4, class: kind});

function chart({tasks, moments, steps}) {
  const unit = ROOM / Math.max(...runs.map(one => one.moments.length)); // the same for both
  const at = time => LEFT + unit * time;
  return lines([
    ...tasks.flatMap(({place, slot, first, last}) => {
      const width = unit * (last - first + 1) - 1;
      return [box(at(first), slot, width, "key"), box(at(first), slot, Math.min(unit - 1, 4), "cell"),
        draw("text", {x: at(first) + 6, y: ROW * slot + 15}, width > 15 ? name(place) : "")];
    }),
    ...tasks.map(({arrival}) => draw("line", {x1: at(arrival), x2: at(arrival), y1: ROW * slots + 2, y2: ROW * slots + 10, class: "line"})),
    draw("line", {x1: at(now + 0.5), x2: at(now + 0.5), y1: 0, y2: ROW * slots, class: "marker"}),
  ], `Which request is in which slot, over ${steps} steps. Marks below: a request arrives.`);
}

function memory({moments}) {
  const {rows} = moments[Math.min(now, moments.length - 1)];
  const widest = Math.max(...runs.flatMap(one => one.moments.flatMap(({rows}) => rows.map(({blocks}) => blocks * size))));
  const unit = Math.min(14, (ROOM - 20) / widest);
  return lines(rows.flatMap(({place, slot, tokens, blocks}) => [
    draw("text", {x: LEFT, y: ROW * slot + 15}, name(place)),
    ...[...Array(blocks).keys()].flatMap(block => {
      const full = Math.min(size, tokens - block * size), x = LEFT + 18 + unit * size * block;
      const around = box(x, slot, unit * size - 2, "axis");
      around.setAttribute("fill", "none");
      return [around, box(x, slot, unit * full - 2, "key")];
    })]), "The blocks of each request: " + (rows.map(({place, tokens, blocks}) =>
    `${name(place)} ${tokens} tokens in ${blocks}`).join(", ") || "none") + ".");
}

const board = make("div"), blocks = make("div"), told = make("strong");
const summary = make("p", {role: "status"});
const cells = POLICIES.map(() => [0, 1, 2, 3, 4].map(() => make("td")));
function update() {
  runs = POLICIES.map((_, place) => run(place));
  const shown = runs[policy], last = Math.max(...runs.map(({moments}) => moments.length)) - 1;
  const input = steps.querySelector("input");
  input.max = last;
  if (now > last) return put(steps, last);
  board.replaceChildren(chart(shown));
  blocks.replaceChildren(memory(shown));
  const {rows, taken, used} = shown.moments[now] ?? {rows: [], taken: 0, used: 0};
  summary.textContent = `In all, ${shown.steps} steps. In step ${now + 1}, ${rows.length} of ${slots} slots ` +
    `write; ${used} of ${taken} places taken hold a token.`;
  told.textContent = `Blocks in step ${now + 1}`;
  runs.forEach((one, row) => [one.steps, one.mean, one.longest, one.taken, one.used].forEach((value, column) => {
    cells[row][column].textContent = value;
  }));
}

const steps = slider("step", {min: 0, max: 200, step: 1, value: now}, value => String(value + 1), value => { now = value; update(); });
steps.className = "wide";
const HEADS = ["steps", "first token: mean", "longest", "places taken", "used then"];
const table = make("table", {}, make("caption", {}, "Both, in steps and places"),
  make("thead", {}, make("tr", {}, make("td", {style: "border: 0"}), ...HEADS.map(text => make("th", {scope: "col"}, text)))),
  make("tbody", {}, ...POLICIES.map((text, row) => make("tr", {}, make("th", {scope: "row"}, text), ...cells[row]))));
figure.append(
  make("div", {className: "controls"},
    menu("batching", POLICIES, policy, place => { policy = place; update(); }),
    slider("gap between requests", {min: 0, max: 8, step: 0.5, value: gap}, String, value => { gap = value; update(); }),
    slider("slots", {min: 1, max: DATA.most, step: 1, value: slots}, String, value => { slots = value; update(); }),
    slider("block size", {min: 0, max: SIZES.length - 1, step: 1, value: SIZES.indexOf(size)}, place => String(SIZES[place]),
      place => { size = SIZES[place]; update(); })),
  make("div", {className: "controls"}, steps), summary,
  make("strong", {}, "Slots"), board,
  make("p", {}, "A stripe: a prompt is read. A mark below: a request comes."), told, blocks,
  make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: "both ways"}, table));
update();
