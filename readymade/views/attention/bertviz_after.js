const vis = document.getElementById("vis"), told = document.getElementById("told");
const all = (selector, root = vis) => [...root.querySelectorAll(selector)];
const send = (node, type) => node?.dispatchEvent(new Event(type));

// The drawing shrinks to the frame, what is read and pressed around it does not.
const fit = () => {
  const room = vis.clientWidth / (NARROW ? DRAWN.narrow : DRAWN.wide);
  vis.style.setProperty("--zoom", Math.max(DRAWN.smallest, Math.min(1, room)));
  vis.classList.toggle("wide", room < DRAWN.smallest); // it scrolls, and a shadow says so
};
addEventListener("resize", fit);
fit();

// Layers and heads get the model's numbers.
const rename = (menu, numbers) => all(`#${menu} option`, document)
  .forEach((option, place) => option.textContent = numbers[place]);
rename("layer", SHOWN.layers);
rename("att_head", SHOWN.heads);

// A page around the frame says whether it is dark.
addEventListener("message", ({data}) => {
  if (data?.theme) document.documentElement.dataset.theme = data.theme;
});

// What the drawing shows, in words.
const number = id => document.getElementById(id)?.selectedIndex ?? 0;
const shown = () => {
  const part = document.getElementById("filter")?.value ?? "all";
  return window.bertviz_params.attention[part];
};
const strongest = (weights, tokens) => weights
  .map((weight, place) => [weight, tokens[place]])
  .sort(([one], [other]) => other - one).slice(0, 3)
  .map(([weight, token]) => `${token} ${weight.toFixed(2)}`).join(", ");
function tell(place, ofKeys) {
  const {attn, left_text, right_text} = shown();
  const heads = all("#heads button", document);
  const chosen = heads.length
    ? heads.flatMap((head, i) => head.ariaPressed === "true" ? [i] : [])
    : [number("att_head")];
  const layer = attn[number("layer")];
  const row = (ofKeys ? left_text : right_text).map((_, other) =>
    chosen.reduce((sum, head) => sum +
      (ofKeys ? layer[head][other][place] : layer[head][place][other]), 0)
    / chosen.length);
  const mean = chosen.length > 1 ? ` (mean of ${chosen.length} heads)` : "";
  told.textContent = ofKeys
    ? `${right_text[place]} is attended to by ${strongest(row, left_text)}${mean}`
    : `${left_text[place]} attends to ${strongest(row, right_text)}${mean}`;
}

// A group of buttons is one stop for the Tab key; arrows move within it, as many steps
// up and down as it has columns.
function group(buttons, columns) {
  buttons.forEach((button, place) => {
    button.setAttribute("tabindex", place ? -1 : 0);
    button.onkeydown = event => {
      const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns,
        ArrowDown: columns}[event.key];
      const other = buttons[place + step];
      if (!other) return;
      event.preventDefault();
      buttons.forEach(one => one.setAttribute("tabindex", one === other ? 0 : -1));
      other.focus();
    };
  });
}
function asButton(node, name, press) {
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", name);
  node.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press(event);
  });
}

// Tokens: what the pointer shows, the focus shows. A tap moves the focus too.
function tokenButtons(side, ofKeys) {
  const tokens = all(":scope > g", side);
  tokens.forEach((token, place) => {
    const show = () => { send(token, "mouseover"); tell(place, ofKeys); };
    asButton(token, token.querySelector("text").textContent, show);
    token.addEventListener("focus", show);
    token.addEventListener("mouseenter", () => tell(place, ofKeys));
    token.addEventListener("blur", () =>
      send(side.id.endsWith("Text") ? token : side.parentNode, "mouseleave"));
  });
  group(tokens, 1);
}

// Heads of the head view: a row of buttons does what bertviz's coloured squares do.
function headButtons() {
  const bar = document.getElementById("heads");
  const squares = all("svg > g:last-of-type > rect");
  if (!bar || !squares.length) return;
  squares.forEach(square => square.style.display = "none");
  const refresh = () => all("button", bar).forEach((button, place) => {
    const pressed = squares[place].getAttribute("fill") === HEAD_COLORS[place % 12];
    button.ariaPressed = pressed;
  });
  bar.replaceChildren(...SHOWN.heads.map((head, place) => {
    const button = document.createElement("button");
    button.textContent = head;
    button.ariaLabel = `Head ${head}`;
    button.style.setProperty("--color", HEAD_COLORS[place % 12]);
    const press = type => { send(squares[place], type); refresh(); };
    button.onclick = event => press(event.shiftKey ? "dblclick" : "click");
    button.ondblclick = () => press("dblclick");
    return button;
  }));
  refresh();
  group([...bar.children], SHOWN.heads.length);
}

// Drawings of the model view: each is a button that opens and closes its head.
function drawingButtons() {
  const drawings = all(".attn_background").map(node => node.parentNode.lastChild);
  drawings.forEach((drawing, place) => {
    const layer = Math.floor(place / SHOWN.heads.length);
    const head = place % SHOWN.heads.length;
    const name = `Layer ${SHOWN.layers[layer]}, head ${SHOWN.heads[head]}`;
    asButton(drawing, name, () => send(drawing, "click"));
    drawing.ariaExpanded = "false";
    drawing.addEventListener("click", () => {
      const open = drawing.ariaExpanded === "false";
      drawings.forEach(one => one.ariaExpanded = "false");
      drawing.ariaExpanded = open;
      const {attn, left_text, right_text} = shown();
      const pairs = attn[layer][head].flatMap((row, i) =>
        row.map((weight, j) => [weight, `${left_text[i]} → ${right_text[j]}`]));
      told.textContent = !open ? "" : `${name}, strongest: ` +
        strongest(pairs.map(([weight]) => weight), pairs.map(([, words]) => words));
    });
  });
  group(drawings, SHOWN.heads.length);
}

// The neuron view's vectors are hidden and shown by a button.
const vectors = document.getElementById("vectors");
const sign = place => vis.querySelector(
  `#${place} #leftText > g > rect:last-child`);
if (vectors) vectors.onclick = () => {
  const open = vectors.ariaPressed === "true";
  send(sign(open ? "expanded" : "collapsed"), "click");
  vectors.ariaPressed = !open;
};

// bertviz draws anew for another layer, head or pair of sentences.
function prepare() {
  all("#left > g:last-child").forEach(side => tokenButtons(side, false));
  all("#right > g:last-child").forEach(side => tokenButtons(side, true));
  all("#leftText").forEach(side => tokenButtons(side, false));
  headButtons();
  drawingButtons();
}
new MutationObserver(prepare).observe(vis, {childList: true});
prepare();

// Begin with the vectors unfolded and the second token selected: the first is often a
// special one.
const tokens = all("#expanded #leftText > g");
if (tokens.length) {
  send(sign("collapsed"), "click");
  send(tokens[1] ?? tokens[0], "mouseover");
  tell(tokens[1] ? 1 : 0, false);
}
