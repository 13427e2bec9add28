// The models run beside the page, so that it stays quick while they load, read and write.

import { decode, emptyCache, shortened } from "./decoder.js";
import { encode, meanOf } from "./encoder.js";
import { sizeOfHead, softmax } from "./layers.js";
import { classify } from "./pictures.js";
import { fetchKept, readModel, within } from "./weights.js";
import { newTokenizer } from "./word_piece.js";

const MOST_TOKENS = 128;
const models = {};
let tokenize;

// What has been read of the text that a model is writing, and of its source.
const read = {};

// The memory of a source, computed once.
function memoryOf(name, source) {
  const known = read[name];
  if (!source || `${known?.source}` === `${source}`) return known?.memory;
  const { hidden } = encode(source, models[name], "encoder.");
  read[name] = { ids: [], source, memory: hidden, cache: emptyCache(models[name].config) };
  return hidden;
}

const jobs = {
  async load({ name, file, tokenizer }, tell) {
    if (tokenizer) {
      const json = buffer => JSON.parse(new TextDecoder().decode(buffer));
      tokenize = await fetchKept(tokenizer, buffer => newTokenizer(json(buffer)), () => {});
    }
    models[name] = await fetchKept(file, readModel, tell);
    const { config, bytePair, source, target, vocab, mean, heldOut, stages = [] } = models[name];
    for (const stage of stages) models[`${name}.${stage}`] = within(models[name], stage);
    if (name === "encoder") encode(tokenize("The first text makes the code quick.").ids, models[name]);
    return { config, bytePair, source, target, vocab, mean, heldOut };
  },

  // Everything about one text.
  read({ text }) {
    const { tokens, ids, cut } = tokenize(text, MOST_TOKENS);
    const begin = performance.now(), { config } = models.encoder;
    const { layers, hidden } = encode(ids, models.encoder);
    const milliseconds = performance.now() - begin;
    return { tokens, ids, cut, layers, vector: meanOf(hidden, config.d_model), milliseconds };
  },

  // The vectors of many texts, and nothing else about them.
  vectors: ({ texts }) => texts.map(text => jobs.read({ text }).vector),

  // The logits of the ten digits for each picture.
  see: ({ pictures }) => pictures.map(picture => classify(picture, models.digits)),

  tokenize: ({ texts }) => texts.map(text => tokenize(text).ids),

  // The token after a text: logits, and for each place just read the attention weights,
  // keys and values. What is still in the cache of the previous text is not read again, so
  // a step back, or another token, costs one step.
  next({ name, ids, source }) {
    const begin = performance.now(), model = models[name];
    const memory = memoryOf(name, source);
    const before = read[name] ?? { ids: [], cache: emptyCache(model.config) };
    let same = 0;
    while (same < ids.length - 1 && ids[same] === before.ids[same]) same++;
    const cache = shortened(before.cache, Math.min(same, before.cache.length));
    const found = decode(ids.slice(cache.length), model, cache, memory);
    read[name] = { ...before, ids, cache: found.cache };
    const fresh = rows => rows.slice(rows.length / ids.length * cache.length);
    return {
      logits: found.logits,
      weights: found.weights,
      keys: found.cache.layers.map(({ key }) => fresh(key)),
      values: found.cache.layers.map(({ value }) => fresh(value)),
      start: cache.length,
      milliseconds: performance.now() - begin,
    };
  },

  // The token after a text, with heads exchanged for another text's at the last place: the
  // logits with none, with each alone and with all, and those of the other text.
  exchange({ name, ids, other }) {
    const begin = performance.now(), model = models[name], { config } = model, given = [];
    const size = sizeOfHead(config), width = size * config.num_heads, nothing = emptyCache(config);
    const { logits } = decode(other, model, nothing, undefined, (layer, mixed) => {
      given[layer] = mixed.slice(-width);
    });
    const { cache } = decode(ids.slice(0, -1), model, nothing);
    const withHeads = exchanged => decode(ids.slice(-1), model, cache, undefined, (layer, mixed) => {
      for (const { head } of exchanged.filter(one => one.layer === layer)) {
        mixed.set(given[layer].subarray(head * size, (head + 1) * size), head * size);
      }
    }).logits;
    const heads = given.flatMap((_, layer) => [...Array(config.num_heads).keys()].map(head => ({ layer, head })));
    return {
      none: withHeads([]), all: withHeads(heads), other: logits,
      heads: heads.map(one => ({ ...one, logits: withHeads([one]) })),
      milliseconds: performance.now() - begin,
    };
  },

  // What the worker itself has loaded.
  files: () => [location.href, ...performance.getEntriesByType("resource").map(({ name }) => name)],

  // Greedy search, for tests: the ids after a text, and the logits of the first step.
  write({ name, ids, source, end, most }) {
    const written = [];
    let first;
    while (written.length < most && written.at(-1) !== end) {
      const found = jobs.next({ name, ids: [...ids, ...written], source });
      first ??= found.logits;
      written.push(found.logits.indexOf(Math.max(...found.logits)));
    }
    return { written, logits: first };
  },

  // Beam search (chapter 9): for each step the continuations that were tried, the best
  // first, each with the log of its probability, its parent and whether it was kept.
  beam({ name, source, begin, end, size, most }) {
    const model = models[name], memory = memoryOf(name, source), steps = [];
    let beam = [{ ids: [begin], score: 0, cache: emptyCache(model.config) }], best;
    while (beam.length && steps.length < most) {
      const tried = beam.flatMap((text, parent) => {
        const { logits, cache } = decode([text.ids.at(-1)], model, text.cache, memory);
        return [...softmax(Float64Array.from(logits))].map((p, id) => ({
          ids: [...text.ids, id], score: text.score + Math.log(p), cache, parent,
        }));
      }).sort((a, b) => b.score - a.score);
      const kept = tried.slice(0, size);
      steps.push(tried.slice(0, size + 2).map(({ ids, score, parent }, rank) =>
        ({ ids, score, parent, kept: rank < size })));
      for (const text of kept) {
        if (text.ids.at(-1) === end && !(best?.score >= text.score)) best = text;
      }
      beam = kept.filter(({ ids }) => ids.at(-1) !== end);
      if (best && beam.every(({ score }) => score <= best.score)) break;
    }
    // If there was no room left, a text without its end may be the likeliest.
    for (const text of beam) if (!(best?.score >= text.score)) best = text;
    return { steps, ids: best.ids, score: best.score };
  },
};

addEventListener("message", async ({ data: { number, job, ...details } }) => {
  const tell = (loaded, total) => postMessage({ number, loaded, total });
  try {
    postMessage({ number, result: await jobs[job](details, tell) });
  } catch (error) {
    postMessage({ number, error: error.message });
  }
});
