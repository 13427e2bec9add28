// The next token's distribution, and what temperature, top-k and top-p leave of it.
const {tokens, logits} = DATA;
const BARS = 12;
const settings = {temperature: 1, k: tokens.length, p: 1};

// The same steps as `generate`: divide, keep the k best, keep the smallest set that
// reaches p, and share the probability out among those that are left.
function distribution() {
  const before = softmax(logits.map(logit => logit / settings.temperature));
  const order = before.map((_, place) => place).sort((a, b) => before[b] - before[a]);
  const best = softmax(order.slice(0, settings.k).map(place => logits[place] / settings.temperature));
  let sum = 0;
  const kept = best.filter(probability => {
    const wanted = sum < settings.p;
    sum += probability;
    return wanted;
  });
  const share = kept.reduce((total, probability) => total + probability, 0);
  return order.map((place, rank) => ({
    token: tokens[place],
    before: before[place],
    after: rank < kept.length ? kept[rank] / share : 0,
  }));
}

const bars = Array.from({length: Math.min(BARS, tokens.length)}, () => ({
  name: make("th", {scope: "row", className: "token"}),
  bar: make("span", {className: "bar"}),
  percent: make("span"),
}));
const summary = make("p", {role: "status"});
const drawn = make("p", {className: "drawn", ariaLive: "polite"});

function update() {
  const ranked = distribution();
  const percent = share => `${(100 * share).toFixed(1)} %`;
  bars.forEach(({name, bar, percent: text}, rank) => {
    const {token, after} = ranked[rank];
    name.textContent = token;
    bar.style.width = `${100 * after}%`;
    text.textContent = after ? percent(after) : "out";
  });
  const kept = ranked.filter(({after}) => after);
  const removed = ranked.filter(({after}) => !after).reduce((sum, {before}) => sum + before, 0);
  const entropy = -kept.reduce((sum, {after}) => sum + after * Math.log2(after), 0);
  summary.textContent = `${kept.length} of ${tokens.length} tokens can be drawn; ` +
    `${percent(removed)} of the probability was cut away; entropy ${entropy.toFixed(2)} bits.`;
}

function drawTwenty() {
  const ranked = distribution();
  const one = () => {
    let left = Math.random();
    return ranked.find(({after}) => (left -= after) < 0) ?? ranked[0];
  };
  drawn.textContent = `Twenty draws: ${Array.from({length: 20}, () => one().token).join(" · ")}`;
}

const set = name => number => {
  settings[name] = number;
  update();
};
const button = make("button", {type: "button"}, "Draw 20 tokens");
button.addEventListener("click", drawTwenty);
// The k slider is not even: 1, 2, 3, … matter more than the difference of 900 and 901.
const sizes = [1, 2, 3, 4, 5, 8, 10, 20, 40, 80, 200].filter(size => size < tokens.length);
sizes.push(tokens.length);
figure.append(
  make("p", {}, DATA.context),
  make("div", {className: "controls"},
    slider("temperature", {min: 0.1, max: 3, step: 0.05, value: 1}, t => t.toFixed(2), set("temperature")),
    slider("top-k", {min: 0, max: sizes.length - 1, step: 1, value: sizes.length - 1},
      place => place === sizes.length - 1 ? "all" : String(sizes[place]), place => set("k")(sizes[place])),
    slider("top-p", {min: 0.05, max: 1, step: 0.05, value: 1}, p => p.toFixed(2), set("p")),
    button),
  make("table", {className: "bars"}, make("caption", {}, `The ${bars.length} most probable tokens`),
    make("tbody", {}, ...bars.map(({name, bar, percent}) =>
      make("tr", {}, name, make("td", {}, percent), make("td", {}, bar))))),
  summary,
  drawn);
update();
