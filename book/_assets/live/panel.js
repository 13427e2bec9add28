// What the panels of models that write have in common: they handle one request after the
// other, and have menus and sliders.

import { reasonOf } from "./client.js";
import { newElement } from "./tokens.js";

export const tokens = count => `${count} ${count === 1 ? "token" : "tokens"}`;

export function newPanel(box, draw, hint) {
  const find = selector => box.querySelector(selector);
  const field = name => find(`[name=${name}]`), button = name => find(`[data-do=${name}]`);
  const status = find("[role=status]");
  let running, last = Promise.resolve();

  // What the model does, for everyone; what it wrote, for those who cannot see it. A screen
  // reader speaks at every change, so it does not get each token.
  function say(text, unseen = "") {
    if (status.textContent === text + unseen) return;
    status.replaceChildren(text, newElement("span", { className: "sr-only", textContent: unseen }));
  }

  // Write token by token, until the text ends or the reader stops it.
  async function write({ ready, one, isOver, pause }) {
    const mine = running = {};
    draw();
    await ready();
    draw();
    while (mine === running && !isOver()) {
      await one();
      await new Promise(done => setTimeout(done, pause));
    }
    if (mine === running) stop();
  }

  function stop() {
    running = undefined;
    draw();
  }

  // A request first ends what is being written. A RangeError says what is wrong with what
  // the reader typed.
  const act = job => () => {
    box.classList.add("live-asked"); // from now on it has room for what it writes
    stop();
    last = last.then(() => job()).catch(error => {
      stop();
      say(error instanceof RangeError
        ? `${hint}: ${error.message}.` : `That did not work: ${reasonOf(error)}. Try again.`);
    });
  };

  // Menus of layers and heads, whose numbers are in `chosen`.
  function offer({ num_layers, num_heads }, chosen, onChange) {
    for (const [name, count] of [["layer", num_layers], ["head", num_heads]]) {
      field(name).replaceChildren(...[...Array(count).keys()].map(i => new Option(i, i)));
      field(name).value = chosen[name];
      field(name).addEventListener("change", ({ target }) => {
        chosen[name] = Number(target.value);
        onChange();
      });
    }
  }

  for (const slider of box.querySelectorAll("[type=range]")) {
    const say = () => {
      const { value, max, step, dataset } = slider;
      const words = value === max && dataset.most || (step < 1 ? Number(value).toFixed(2) : value);
      slider.parentElement.querySelector(".live-value").textContent = words;
      slider.ariaValueText = words;
    };
    say();
    slider.addEventListener("input", say);
  }
  // The Enter key submits, even in a field of several lines.
  find("textarea")?.addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    find("form").requestSubmit();
  });
  button("stop").addEventListener("click", stop);
  find("[type=submit]").disabled = false;
  return { find, field, button, say, write, stop, act, offer, isRunning: () => Boolean(running) };
}
