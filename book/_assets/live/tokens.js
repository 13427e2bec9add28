// The tokens of each sentence, with their ids.

export function newElement(tag, properties = {}, ...children) {
  const { dataset = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  Object.assign(element.dataset, dataset);
  element.append(...children);
  return element;
}

export function drawTokens(box, readings) {
  box.replaceChildren(...readings.map(({ tokens, ids }, i) => {
    const list = newElement("ol", { className: "live-tokens" });
    list.ariaLabel = `Tokens of the ${i ? "second" : "first"} sentence`;
    tokens.forEach((token, place) => {
      const kind = token.startsWith("##") ? "piece" : /^\[[A-Z]+\]$/.test(token) ? "special" : "";
      list.append(newElement("li", { className: kind },
        newElement("span", { className: "live-token", textContent: token }),
        newElement("span", { className: "live-id", textContent: ids[place] })));
    });
    return list;
  }));
}
