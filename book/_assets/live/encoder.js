// The encoder of chapters 2 to 7, a third time: MiniLM in plain JavaScript.
// A matrix is a typed array, row after row. x has a row of d_model numbers a token.

const NUM_LAYERS = 6, NUM_HEADS = 12, D_MODEL = 384, D_K = D_MODEL / NUM_HEADS;
const PAD = 0; // the id of [PAD]

// a · bᵀ, for matrices with rows of `width` numbers; their rows come in fours.
// Four rows meet four rows at a time, so each number is read once for four products.
// JavaScript computes in 64 bits: 8 and 32 bits become 64 before the innermost loop.
function product(a, b, width) {
  const rows = a.length / width, columns = b.length / width;
  const y = new Float32Array(rows * columns);
  const left = new Float64Array(a), four = new Float64Array(4 * width);
  for (let column = 0; column < columns; column += 4) {
    four.set(b.subarray(column * width, (column + 4) * width));
    for (let row = 0; row < rows; row += 4) {
      let s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
      let s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
      const a0 = row * width, a1 = a0 + width, a2 = a1 + width, a3 = a2 + width;
      const b1 = width, b2 = 2 * width, b3 = 3 * width;
      for (let i = 0; i < width; i++) {
        const p0 = left[a0 + i], p1 = left[a1 + i], p2 = left[a2 + i], p3 = left[a3 + i];
        const q0 = four[i], q1 = four[b1 + i], q2 = four[b2 + i], q3 = four[b3 + i];
        s00 += p0 * q0; s01 += p0 * q1; s02 += p0 * q2; s03 += p0 * q3;
        s10 += p1 * q0; s11 += p1 * q1; s12 += p1 * q2; s13 += p1 * q3;
        s20 += p2 * q0; s21 += p2 * q1; s22 += p2 * q2; s23 += p2 * q3;
        s30 += p3 * q0; s31 += p3 * q1; s32 += p3 * q2; s33 += p3 * q3;
      }
      const r0 = row * columns + column;
      const r1 = r0 + columns, r2 = r1 + columns, r3 = r2 + columns;
      y[r0] = s00; y[r0 + 1] = s01; y[r0 + 2] = s02; y[r0 + 3] = s03;
      y[r1] = s10; y[r1 + 1] = s11; y[r1 + 2] = s12; y[r1 + 3] = s13;
      y[r2] = s20; y[r2 + 1] = s21; y[r2 + 2] = s22; y[r2 + 3] = s23;
      y[r3] = s30; y[r3 + 1] = s31; y[r3 + 2] = s32; y[r3 + 3] = s33;
    }
  }
  return y;
}

// x · Wᵀ + b: PyTorch's layout, a row of W for each number that comes out. W is stored
// as whole numbers from -127 to 127, which the scale of their row makes weights again.
function linear(x, { weight, scale, bias }) {
  const y = product(x, weight, weight.length / bias.length);
  for (let start = 0; start < y.length; start += bias.length) {
    for (let i = 0; i < bias.length; i++) y[start + i] = y[start + i] * scale[i] + bias[i];
  }
  return y;
}

// Each row of x, with mean 0 and variance 1, times the weight, plus the bias. In place.
function layerNorm(x, { weight, bias }) {
  for (let start = 0; start < x.length; start += D_MODEL) {
    const row = x.subarray(start, start + D_MODEL);
    let sum = 0, squares = 0;
    for (const value of row) sum += value;
    const mean = sum / D_MODEL;
    for (const value of row) squares += (value - mean) ** 2;
    const deviation = Math.sqrt(squares / D_MODEL + 1e-12);
    for (let i = 0; i < D_MODEL; i++) {
      row[i] = ((row[i] - mean) / deviation) * weight[i] + bias[i];
    }
  }
  return x;
}

// GELU: x times the share of a normal distribution below x, within 2e-7
// (the error function of Abramowitz and Stegun 1964, 7.1.26).
function gelu(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x) * Math.SQRT1_2);
  const polynomial = t * (0.254829592 + t * (-0.284496736 +
    t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = 0.5 * polynomial * Math.exp(-x * x / 2);
  return x * (x < 0 ? tail : 1 - tail);
}

// Makes weights of scores, in place: of nothing but −∞, weights of 0.
export function softmax(scores) {
  let largest = -Infinity, sum = 0;
  for (const score of scores) largest = Math.max(largest, score);
  if (largest === -Infinity) return scores.fill(0);
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp(scores[i] - largest);
    sum += scores[i];
  }
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
  return scores;
}

// The columns of one head, (length, d_k): or its transpose, (d_k, length).
export function headOf(x, head, transposed = false) {
  const length = x.length / D_MODEL, part = new Float32Array(length * D_K);
  for (let row = 0; row < length; row++) {
    for (let i = 0; i < D_K; i++) {
      part[transposed ? i * length + row : row * D_K + i] =
        x[row * D_MODEL + head * D_K + i];
    }
  }
  return part;
}

// softmax(QKᵀ / √d_k) V, head by head; the mask is false where no query may attend.
function attention(query, key, value, mask) {
  const length = mask.length, y = new Float32Array(query.length), maps = [];
  for (let head = 0; head < NUM_HEADS; head++) {
    const weights = product(headOf(query, head), headOf(key, head), D_K);
    for (let start = 0; start < weights.length; start += length) {
      const row = weights.subarray(start, start + length); // the scores of one query
      for (let i = 0; i < length; i++) {
        row[i] = mask[i] ? row[i] / Math.sqrt(D_K) : -Infinity;
      }
      softmax(row);
    }
    const mixed = product(weights, headOf(value, head, true), length); // (length, d_k)
    for (let i = 0; i < mixed.length; i++) {
      y[Math.floor(i / D_K) * D_MODEL + head * D_K + (i % D_K)] = mixed[i];
    }
    maps.push(weights);
  }
  return [y, maps];
}

function add(x, y) {
  const sum = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) sum[i] = x[i] + y[i];
  return sum;
}

function embed(ids, model) {
  const x = new Float32Array(ids.length * D_MODEL);
  const { row } = model.vectors("embeddings.word_embeddings");
  const positions = model.vectors("embeddings.position_embeddings");
  const segments = model.vectors("embeddings.token_type_embeddings");
  ids.forEach((id, place) => {
    const sum = add(add(row(id), positions.row(place)), segments.row(0));
    x.set(sum, place * D_MODEL);
  });
  return layerNorm(x, model.layer("embeddings.LayerNorm"));
}

// Ids with [CLS] and [SEP] → what each layer computes, and the sentence's vector.
export function encode(ids, model) {
  const padding = new Array((4 - (ids.length % 4)) % 4).fill(PAD); // rows in fours
  const padded = [...ids, ...padding], mask = padded.map((_, i) => i < ids.length);
  const layers = [];
  let x = embed(padded, model);
  for (let number = 0; number < NUM_LAYERS; number++) {
    const part = name => model.layer(`encoder.layer.${number}.${name}`);
    const query = linear(x, part("attention.self.query"));
    const key = linear(x, part("attention.self.key"));
    const value = linear(x, part("attention.self.value"));
    const [y, weights] = attention(query, key, value, mask);
    const attended = linear(y, part("attention.output.dense"));
    x = layerNorm(add(x, attended), part("attention.output.LayerNorm"));
    const inner = linear(x, part("intermediate.dense"));
    for (let i = 0; i < inner.length; i++) inner[i] = gelu(inner[i]);
    const outer = linear(inner, part("output.dense"));
    x = layerNorm(add(x, outer), part("output.LayerNorm"));
    layers.push({ query, key, value, weights, hidden: x });
  }
  return { layers, vector: meanOf(x, ids.length), length: padded.length };
}

// The mean of the real tokens' vectors, divided by its own norm.
function meanOf(x, count) {
  const mean = new Float32Array(D_MODEL);
  for (let i = 0; i < count * D_MODEL; i++) mean[i % D_MODEL] += x[i] / count;
  const norm = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return mean.map(value => value / norm);
}
