// The encoder of chapters 6, 7 and 21: it reads a text, or a picture, all at once.

import { addAndNorm, attention, embed, feedForward, layerNorm, linear } from "./layers.js";

// Ids → the vectors of the last layer, and what each layer computes. `path` is where the
// encoder is in a larger model.
export const encode = (ids, model, path = "") =>
  encodeVectors(embed(ids, model, `${path}embeddings`), model, path);

// The same from the sums of embeddings and positions.
export function encodeVectors(x, model, path) {
  const { config } = model, layers = [];
  for (let number = 0; number < config.num_layers; number++) {
    const part = name => model.layer(`${path}layers.${number}.${name}`);
    let query, key, value, weights;
    x = addAndNorm(x, part("self_attention_norm.norm"), config, y => {
      query = linear(y, part("self_attention.query"));
      key = linear(y, part("self_attention.key"));
      value = linear(y, part("self_attention.value"));
      let mixed;
      [mixed, weights] = attention(query, key, value, config, false);
      return linear(mixed, part("self_attention.projection"));
    });
    x = addAndNorm(x, part("feed_forward_norm.norm"), config, y =>
      feedForward(y, name => part(`feed_forward.${name}`), config));
    layers.push({ query, key, value, weights, hidden: x });
  }
  const hidden = config.norm_first ? layerNorm(x, model.layer(`${path}norm`), config) : x;
  return { layers, hidden };
}

// The mean of the tokens' vectors, divided by its own norm: the vector of a sentence.
export function meanOf(x, size) {
  const mean = new Float32Array(size), count = x.length / size;
  for (let i = 0; i < x.length; i++) mean[i % size] += x[i] / count;
  const norm = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return mean.map(value => value / norm);
}
