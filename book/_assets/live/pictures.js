// Pictures as tokens (chapter 21): a vector of numbers for each square of a picture.

import { encodeVectors } from "./encoder.js";
import { add, linear } from "./layers.js";

// Square pictures, line after line → a row of numbers per patch, in reading order.
export function patches(picture, size) {
  const width = Math.sqrt(picture.length), y = new Float32Array(picture.length);
  picture.forEach((number, i) => {
    const line = Math.floor(i / width), column = i % width;
    const patch = Math.floor(line / size) * (width / size) + Math.floor(column / size);
    y[patch * size * size + (line % size) * size + column % size] = number;
  });
  return y;
}

// Numbers from 0 to 1 → logits, from the vector of [CLS]. Positions are learned.
export function classify(picture, model) {
  const { size, config: { d_model } } = model, part = "encoder.embeddings";
  const rows = linear(patches(picture, size), model.layer(`${part}.projection`));
  const x = Float32Array.from([...model.numbers(`${part}.cls`), ...rows]);
  const positions = model.layer(`${part}.positions.table`).weight;
  const { hidden } = encodeVectors(add(x, positions), model, "encoder.");
  return linear(hidden.subarray(0, d_model), model.layer("classifier"));
}
