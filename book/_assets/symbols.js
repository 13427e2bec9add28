// Point at a symbol of a formula, and the lines of code that compute with it light up, in
// both frameworks. The code itself says where: a comment such as `# scores = Q Kᵀ / √d_k`
// is above the lines that compute it. The number of a formula lights all its lines.
const NAME = /[\p{L}\p{N}_]+/gu;
const EMPTY_LINE = /\n\s*\n/;

// The name of a symbol as the comments write it: Kᵀ, d_k, softmax; null for a sign.
function nameOf(element) {
  const texts = [...element.children].map(child => child.textContent);
  if (element.localName === "msub") return texts.join("_");
  if (element.localName === "msup" && texts[1] === "⊤") return `${texts[0]}ᵀ`;
  return element.localName === "mi" || element.localName === "mtext"
    ? element.textContent.trim() : null;
}

// The symbols of a formula: the largest elements that have a name.
function symbolsOf(element) {
  const name = nameOf(element);
  if (name?.match(NAME)?.[0] === name) return [{element, name}];
  return [...element.children].flatMap(symbolsOf);
}

// Each formula in the code of a cell: the names in its comment, and the lines below it.
function commentedLines(code) {
  return [...code.querySelectorAll(".c1")].filter(span => span.textContent.includes(" = ")).map(span => {
    const range = new Range();
    range.setStartBefore(span);
    range.setEndAfter(span);
    // down to the next comment or empty line
    for (let node = span.nextSibling; node && !node.classList?.contains("c1"); node = node.nextSibling) {
      const before = node.textContent.split(EMPTY_LINE)[0].trimEnd();
      if (before && node.nodeType === Node.TEXT_NODE) range.setEnd(node, before.length);
      else if (before) range.setEndAfter(node);
      if (EMPTY_LINE.test(node.textContent)) break;
    }
    return {names: new Set(span.textContent.match(NAME)), range};
  });
}

function link(equation, cells) {
  const symbols = symbolsOf(equation.querySelector(".formula"));
  const names = new Set(symbols.map(({name}) => name));
  // the code of this formula has at least two names in common with it in one line
  const lines = cells.filter(cell => cell.some(line => line.names.intersection(names).size > 1)).flat();
  const light = wanted => CSS.highlights.set("symbol", new Highlight(...wanted.map(({range}) => range)));
  const dark = () => CSS.highlights.delete("symbol");
  const listen = (element, wanted) => {
    for (const event of ["pointerenter", "focus", "click"]) element.addEventListener(event, () => light(wanted));
    for (const event of ["pointerleave", "blur"]) element.addEventListener(event, dark);
  };
  for (const {element, name} of symbols) {
    const wanted = lines.filter(line => line.names.has(name));
    if (!wanted.length) continue;
    element.classList.add("linked-symbol");
    listen(element, wanted);
  }
  const number = equation.querySelector(".number");
  if (number) listen(number, lines.filter(line => line.names.intersection(names).size));
}

if (CSS.highlights && Set.prototype.intersection) {
  const cells = [...document.querySelectorAll(".cell_input pre")].map(commentedLines);
  document.querySelectorAll(".equation").forEach(equation => link(equation, cells));
}
