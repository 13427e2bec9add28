"use strict";
// What every interactive figure uses. DATA holds the numbers that Python computed.

// An element with properties and children: make("p", {className: "help"}, "text").
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The same for a drawing: draw("rect", {x: 0, y: 0, width: 10, height: 5}).
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A slider that shows its value and reports it.
function slider(label, {min, max, step, value}, show, changed) {
  const input = make("input", {type: "range", min, max, step, value});
  const shown = make("span", {}, show(value));
  input.addEventListener("input", () => {
    input.setAttribute("aria-valuetext", shown.textContent = show(Number(input.value)));
    changed(Number(input.value));
  });
  input.setAttribute("aria-valuetext", show(value));
  return make("label", {}, label, input, shown);
}

// A button that stays down until it is pressed again.
function toggle(text, pressed, changed) {
  const button = make("button", {type: "button"}, text);
  const press = down => button.setAttribute("aria-pressed", down);
  button.addEventListener("click", () => {
    press(pressed = !pressed);
    changed(pressed);
  });
  press(pressed);
  return button;
}

const dot = (left, right) => left.reduce((sum, entry, place) => sum + entry * right[place], 0);

// Weights in proportion to e^score. A row of -Infinity alone gets weights of 0.
function softmax(scores) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return scores.map(() => 0);
  const powers = scores.map(score => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map(power => power / sum);
}

const figure = document.querySelector("main");

// The figure follows the theme of the page around it.
function followTheme() {
  const page = window.parent.document.documentElement;
  const follow = () => document.documentElement.dataset.theme = page.dataset.theme ?? "light";
  new MutationObserver(follow).observe(page, {attributeFilter: ["data-theme"]});
  follow();
}
try {
  if (window.parent !== window) followTheme();
} catch (error) {
  if (error.name !== "SecurityError") throw error; // opened as a file: the page tells it
  addEventListener("message", ({data}) => {
    if (data?.theme) document.documentElement.dataset.theme = data.theme;
  });
}
