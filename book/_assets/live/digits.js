// A box to draw a digit in: the classifier of chapter 21 reads it after each stroke.

import { ask, load, reasonOf } from "./client.js";
import { INK, SIDE, bitmapOf, counted, isDot, isWide } from "./drawing.js";
import { softmax } from "./layers.js";
import { newElement } from "./tokens.js";

const HALF = SIDE / 2; // a patch's side
const PATCHES = ["Top left", "Top right", "Bottom left", "Bottom right"];
const percent = p => `${(100 * p).toFixed(p >= 0.0995 && p < 0.9905 ? 0 : 1)}%`;
const patchOf = i => 2 * Math.floor(i / SIDE / HALF) + Math.floor((i % SIDE) / HALF);
const all = count => [...Array(count).keys()];

export function start(files, box) {
  const find = selector => box.querySelector(selector);
  const paper = find(".live-paper"), status = find("[role=status]");
  const strokes = [], shown = Array(10).fill(0); // how many of each digit were shown
  let pointer, newest = 0;

  const blank = Array(SIDE * SIDE).fill(0);
  const blocks = all(SIDE * SIDE).map(i => {
    const cell = newElement("td");
    cell.classList.toggle("live-below", Math.floor(i / SIDE) === HALF);
    cell.classList.toggle("live-right", i % SIDE === HALF);
    return cell;
  });
  find(".live-blocks tbody").replaceChildren(...all(SIDE).map(line =>
    newElement("tr", {}, ...blocks.slice(SIDE * line, SIDE * (line + 1)))));
  const chances = all(10).map(digit => newElement("li", {},
    newElement("span", { textContent: digit }), newElement("span")));
  find(".live-chances").replaceChildren(...chances);
  const hidden = PATCHES.map(name => [newElement("th", { scope: "row", textContent: name }),
    newElement("td"), newElement("td")]);
  find(".live-hidden tbody").replaceChildren(...hidden.map(row => newElement("tr", {}, ...row)));

  // Only the newest request is answered: the model may still be loading.
  const act = job => async (...details) => {
    const mine = ++newest;
    box.ariaBusy = "true";
    try {
      const model = await load("digits", { file: files.digits });
      const numbers = job(model, ...details);
      const without = [blank, model.mean].flatMap(other => PATCHES.map((_, patch) =>
        numbers.map((number, i) => (patchOf(i) === patch ? other[i] : number))));
      const pictures = [numbers, ...without].map(one => one.map(number => number / INK));
      const logits = await ask("see", { pictures });
      if (mine === newest) draw(numbers, logits.map(row => [...softmax(row)]));
    } catch (error) {
      if (mine === newest) say(`That did not work: ${reasonOf(error)}. Try again.`);
    }
  };

  const best = row => row.indexOf(Math.max(...row));

  // A screen reader speaks when the answer is complete.
  function say(text) {
    status.textContent = text;
    box.ariaBusy = "false";
  }

  function drawBlocks(numbers) {
    blocks.forEach((cell, i) => {
      cell.textContent = numbers[i];
      cell.style.setProperty("--weight", numbers[i] / INK);
    });
  }

  function draw(numbers, [whole, ...without]) {
    drawBlocks(numbers);
    whole.forEach((p, digit) => {
      chances[digit].style.setProperty("--weight", p);
      chances[digit].lastChild.textContent = percent(p);
      chances[digit].classList.toggle("live-best", digit === best(whole));
    });
    hidden.forEach(([, ...cells], patch) => cells.forEach((cell, way) => {
      const row = without[way * PATCHES.length + patch], digit = best(row);
      cell.replaceChildren(newElement(digit === best(whole) ? "span" : "strong",
        { textContent: `${digit}, ${percent(row[digit])}` }));
    }));
    const [first, second] = all(10).sort((a, b) => whole[b] - whole[a]);
    const wide = isWide(strokes) ? " This is wide for one digit, but is all read as one." : "";
    say(`It reads ${first} (${percent(whole[first])}); second is ${second} (${percent(whole[second])}).${wide}`);
  }

  const read = act(() => counted(bitmapOf(strokes)));
  const example = act(({ heldOut }, digit) => heldOut[digit][shown[digit]++ % heldOut[digit].length]);

  function clear() {
    newest++;
    strokes.length = 0;
    paper.replaceChildren();
    drawBlocks(blank);
    for (const chance of chances) {
      chance.style.setProperty("--weight", 0);
      chance.classList.remove("live-best");
      chance.lastChild.textContent = "";
    }
    for (const [, ...cells] of hidden) cells.forEach(cell => { cell.textContent = "–"; });
  }

  // Where the pointer is, in hundredths of the box.
  function place({ clientX, clientY }) {
    const { left, top, width, height } = paper.getBoundingClientRect();
    return [100 * (clientX - left) / width, 100 * (clientY - top) / height];
  }

  function extend(...points) {
    const stroke = strokes.at(-1);
    stroke.push(...points);
    paper.lastChild.setAttribute("points", [stroke[0], ...stroke].join(" "));
  }

  paper.addEventListener("pointerdown", event => {
    if (event.button !== 0 || pointer !== undefined) return;
    event.preventDefault();
    paper.setPointerCapture(event.pointerId);
    pointer = event.pointerId;
    newest++; // what was drawn so far needs no answer any more
    box.ariaBusy = "true";
    strokes.push([]);
    paper.append(document.createElementNS(paper.namespaceURI, "polyline"));
    extend(place(event));
  });
  paper.addEventListener("pointermove", event => {
    if (event.pointerId !== pointer) return;
    const passed = event.getCoalescedEvents?.() ?? [];
    extend(...(passed.length ? passed : [event]).map(place));
  });
  paper.addEventListener("lostpointercapture", event => {
    if (event.pointerId !== pointer) return;
    pointer = undefined;
    if (isDot(strokes)) say("That is only a dot. Draw a digit.");
    else read();
  });
  find("[data-do=clear]").addEventListener("click", () => {
    clear();
    say("Draw a digit.");
  });
  for (const button of box.querySelectorAll("[data-digit]")) {
    button.disabled = false;
    button.addEventListener("click", () => {
      clear();
      example(button.dataset.digit);
    });
  }
  find("[data-do=clear]").disabled = false;
  clear();
}
