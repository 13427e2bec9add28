// The decoder of chapters 8, 9 and 14: it writes one token after the other, and a cache
// keeps the keys and values of all previous tokens.

import {
  addAndNorm, attention, embed, feedForward, layerNorm, linear, rotate, sizeOfHead,
} from "./layers.js";

function joined(before, after) {
  const all = new Float32Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

// Nothing has been read yet.
export const emptyCache = ({ num_layers, num_decoder_layers }) => ({
  length: 0,
  layers: Array.from({ length: num_decoder_layers ?? num_layers },
    () => ({ key: new Float32Array(), value: new Float32Array() })),
});

// The cache as it was when the text had only its first `length` tokens.
export function shortened({ layers, ...cache }, length) {
  const cut = rows => rows.subarray(0, rows.length / cache.length * length);
  return length === cache.length ? { ...cache, layers } : {
    ...cache, length,
    layers: layers.map(layer => ({ ...layer, key: cut(layer.key), value: cut(layer.value) })),
  };
}

// The next ids → the logits of the token after them, the attention weights of each layer,
// and the longer cache. The given cache stays as it was. `edit` may change what a layer's
// heads have mixed, side by side, before they are projected.
export function decode(ids, model, cache, memory, edit) {
  const { config } = model, start = cache.length, heads = config.num_heads;
  const kvHeads = config.num_kv_heads ?? heads;
  const turn = (x, number) =>
    config.positions === "rotary" ? rotate(x, number, config, start) : x;
  const layers = [], weights = [];
  let x = embed(ids, model, "decoder.embeddings", start);
  for (const [number, before] of cache.layers.entries()) {
    const part = name => model.layer(`decoder.layers.${number}.${name}`);
    const later = { ...before }, maps = {};
    x = addAndNorm(x, part("self_attention_norm.norm"), config, y => {
      const query = turn(linear(y, part("self_attention.query")), heads);
      later.key = joined(before.key, turn(linear(y, part("self_attention.key")), kvHeads));
      later.value = joined(before.value, linear(y, part("self_attention.value")));
      let mixed;
      [mixed, maps.self] = attention(query, later.key, later.value, config, true);
      edit?.(number, mixed);
      return linear(mixed, part("self_attention.projection"));
    });
    if (memory) {
      x = addAndNorm(x, part("cross_attention_norm.norm"), config, y => {
        const query = linear(y, part("cross_attention.query"));
        // The memory never changes: its keys and values are computed once.
        later.memoryKey ??= linear(memory, part("cross_attention.key"));
        later.memoryValue ??= linear(memory, part("cross_attention.value"));
        let mixed;
        [mixed, maps.cross] =
          attention(query, later.memoryKey, later.memoryValue, config, false);
        return linear(mixed, part("cross_attention.projection"));
      });
    }
    x = addAndNorm(x, part("feed_forward_norm.norm"), config, y =>
      feedForward(y, name => part(`feed_forward.${name}`), config));
    layers.push(later);
    weights.push(maps);
  }
  if (config.norm_first) x = layerNorm(x, model.layer("decoder.norm"), config);
  const last = x.subarray(x.length - config.d_model);
  const logits = linear(last, model.layer("decoder.embeddings.tokens"));
  return { logits, weights, cache: { length: start + ids.length, layers } };
}
