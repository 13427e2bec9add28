// The number game of chapter 15: its words, and the program that checks an answer.

import { english } from "./numbers.js";

const NUMBERS = Array.from({ length: 61 }, (_, number) => english(number).join("-"));
export const REFUSAL = "i do not know .";

// What a reader typed → the words of the game: “What comes after 9?” is
// what, comes, after, nine, ?
export const wordsOf = typed => typed.toLowerCase()
  .replace(/\d+/g, digits => NUMBERS[Number(digits)] ?? digits)
  .replace(/[,.?]/g, " $& ").split(/\s+/).filter(Boolean);

// Another question like this one: its first number is two larger.
export function anotherOf(words) {
  const first = words.findIndex(word => NUMBERS.includes(word));
  return words.map((word, place) => place === first ? NUMBERS[(NUMBERS.indexOf(word) + 2) % NUMBERS.length] : word);
}

// The sentence that answers a question, or undefined if it is not one of the game's.
export function rightAnswer(words) {
  const text = words.join(" "), valueOf = word => NUMBERS.indexOf(word);
  const parts = form => text.match(form)?.slice(1);
  let found, number;
  if (/^how many \S+ has \S+ \?$/.test(text)) return REFUSAL;
  if ((found = parts(/^(\S+) has (\S+) (\S+) \. how many \3 has \1 \?$/))) number = valueOf(found[1]);
  if ((found = parts(/^what comes after (\S+) \?$/))) number = valueOf(found[0]) + 1;
  if ((found = parts(/^which is more , (\S+) or (\S+) \?$/))) number = Math.max(...found.map(valueOf));
  if ((found = parts(/^(?:start with|begin at|think of) (\S+) , (.+) \. (?:what do you get|where are you now|what is the answer) \?$/))) {
    number = found[1].split(" , ").reduce((value, step) => {
      const [what, by] = step.split(" ");
      return { double: 2 * value, add: value + valueOf(by), take: value - valueOf(by) }[what];
    }, valueOf(found[0]));
  }
  return NUMBERS[number] && `the answer is ${NUMBERS[number]} .`;
}

// What an answer says: a number, a refusal (which says nothing more), or undefined. It must
// end, and the number must be the last thing before its end.
export function saidBy(answer) {
  if (answer === `${REFUSAL} <|end|>`) return REFUSAL;
  const word = answer.match(/\bthe answer is (\S+) \. <\|end\|>$/)?.[1];
  return NUMBERS.includes(word) ? word : undefined;
}

// The verifier: an answer must say what the right sentence says.
export const isRight = (right, answer) => saidBy(answer) === saidBy(`${right} <|end|>`);
