// The model, beside the page: it loads, it reads, and the page stays quick meanwhile.

import { encode } from "./encoder.js";
import { fetchKept, readModel } from "./weights.js";
import { newTokenizer } from "./word_piece.js";

const MOST_TOKENS = 128;

let model, tokenize;

const jobs = {
  async load({ weights, tokenizer }) {
    const words = await fetchKept(tokenizer, () => {});
    tokenize = newTokenizer(JSON.parse(new TextDecoder().decode(words)));
    const bytes = await fetchKept(weights, (loaded, total) =>
      postMessage({ loaded, total }));
    model = readModel(bytes);
    encode(tokenize("The first text makes the code quick.").ids, model);
  },

  // Everything about one text.
  read({ text }) {
    const { tokens, ids, cut } = tokenize(text, MOST_TOKENS);
    const begin = performance.now();
    const reading = encode(ids, model);
    return { tokens, ids, cut, ...reading, milliseconds: performance.now() - begin };
  },

  // The vectors of many texts, and nothing else about them.
  vectors({ texts }) {
    return texts.map(text => encode(tokenize(text, MOST_TOKENS).ids, model).vector);
  },

  tokenize({ texts }) {
    return texts.map(text => tokenize(text).ids);
  },
};

addEventListener("message", async ({ data: { number, job, ...details } }) => {
  try {
    postMessage({ number, result: await jobs[job](details) });
  } catch (error) {
    postMessage({ number, error: error.message });
  }
});
