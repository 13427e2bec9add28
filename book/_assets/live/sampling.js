// From logits to a token, as chapter 13 draws it.

import { softmax } from "./layers.js";

// The tokens, the likeliest first, each with its probability (temperature 1) and its share,
// the probability under temperature, top-k and top-p. Temperature 0 takes the likeliest.
export function distribution(logits, { temperature = 1, topK = Infinity, topP = 1 } = {}) {
  const p = softmax(Float64Array.from(logits));
  const scaled = temperature ? Float64Array.from(logits, l => l / temperature) : p.slice();
  const shares = softmax(scaled), order = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b);
  let kept = order.slice(0, temperature ? topK : 1);
  const total = kept.reduce((sum, id) => sum + shares[id], 0);
  let before = 0;
  kept = kept.filter(id => {
    const stays = before < topP;
    before += shares[id] / total;
    return stays;
  });
  const left = kept.reduce((sum, id) => sum + shares[id], 0), allowed = new Set(kept);
  return order.map(id => ({ id, p: p[id], share: allowed.has(id) ? shares[id] / left : 0 }));
}

// Inverse transform sampling: in the order of ids, the token whose part of the line from
// 0 to 1 contains the number u.
export function drawn(tokens, u) {
  const line = tokens.filter(({ share }) => share > 0).sort((a, b) => a.id - b.id);
  let end = 0;
  return line.find(({ share }) => (end += share) > u) ?? line.at(-1);
}

// A number from 0 to 1 for each place of a text, always the same for the same seed.
// (Mulberry32, a generator of a few lines.)
export function uniform(seed, place) {
  let t = (Math.imul(seed, 0x9e3779b1) + Math.imul(place + 1, 0x6d2b79f5)) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
