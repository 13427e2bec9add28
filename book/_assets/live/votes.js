// Several answers to one question, and a vote among them (chapter 20).

import { REFUSAL } from "./game.js";
import { newElement } from "./tokens.js";

const SHOWN = 5; // of what was said

// What the tries say → [what, votes], the commonest first, and of equally common ones the
// one that was given first. A try that says nothing has no vote.
export function votesOf(said) {
  const votes = new Map();
  for (const one of said) if (one !== undefined) votes.set(one, (votes.get(one) ?? 0) + 1);
  return [...votes].sort(([, a], [, b]) => b - a);
}

const nameOf = what => (what === REFUSAL ? "refusal" : what);

function rowsOf(said) {
  const votes = votesOf(said), rest = votes.slice(SHOWN);
  const silent = said.filter(one => one === undefined).length;
  const sum = rest.reduce((sum, [, count]) => sum + count, 0);
  return [...votes.slice(0, SHOWN).map(([what, count]) => [nameOf(what), count]),
    ...(sum ? [[rest.length === 1 ? nameOf(rest[0][0]) : `${rest.length} others`, sum]] : []),
    ...(silent ? [["no vote", silent]] : [])];
}

// `most` tries are to be made; each has written some of the tokens.
export function drawVotes(box, said, tokens, most) {
  box.replaceChildren(
    newElement("p", { className: "live-given", textContent: `${said.length} of ${most} tries, ${tokens} tokens` }),
    newElement("ol", { ariaLabel: "Votes" }, ...rowsOf(said).map(([name, count]) => {
      const row = newElement("li", {}, newElement("span", { textContent: name }), " ",
        newElement("span", { textContent: count }));
      row.style.setProperty("--weight", count / most);
      return row;
    })));
}

// What the list says, in a few words.
export const toldVotes = said => rowsOf(said).map(([name, count]) => `${name} ${count}`).join(", ");
