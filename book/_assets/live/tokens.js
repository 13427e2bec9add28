// The tokens of each sentence, with their ids; and what all parts of the page use.

export function newElement(tag, properties = {}, ...children) {
  const { dataset = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  Object.assign(element.dataset, dataset);
  element.append(...children);
  return element;
}

// Act once, when one of these parts of the page comes near what the reader sees.
export function whenNear(parts, rootMargin, act) {
  const near = new IntersectionObserver(seen => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    near.disconnect();
    act();
  }, { rootMargin });
  parts.forEach(part => near.observe(part));
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
