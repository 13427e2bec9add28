// The layers of chapters 2 to 6 and 14, a third time: plain JavaScript, no library.
// A matrix is a typed array, row after row. x has a row of d_model numbers per token.

// a · bᵀ, for matrices with rows of `width` numbers.
// Four rows of each are multiplied at a time: each number is read once for four products.
// JavaScript computes in 64 bits: 8 and 32 bits become 64 before the innermost loop.
export function product(a, b, width) {
  const rows = a.length / width, columns = b.length / width;
  const y = new Float32Array(rows * columns);
  const left = new Float64Array(a), four = new Float64Array(4 * width);
  for (let column = 0; column < columns; column += 4) {
    four.set(b.subarray(column * width, (column + 4) * width));
    const b1 = width, b2 = 2 * width, b3 = 3 * width;
    const put = (row, s0, s1, s2, s3) => {
      const at = row * columns + column;
      y[at] = s0;
      if (column + 1 < columns) y[at + 1] = s1;
      if (column + 2 < columns) y[at + 2] = s2;
      if (column + 3 < columns) y[at + 3] = s3;
    };
    let row = 0;
    for (; row + 4 <= rows; row += 4) {
      let s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
      let s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
      const a0 = row * width, a1 = a0 + width, a2 = a1 + width, a3 = a2 + width;
      for (let i = 0; i < width; i++) {
        const p0 = left[a0 + i], p1 = left[a1 + i], p2 = left[a2 + i], p3 = left[a3 + i];
        const q0 = four[i], q1 = four[b1 + i], q2 = four[b2 + i], q3 = four[b3 + i];
        s00 += p0 * q0; s01 += p0 * q1; s02 += p0 * q2; s03 += p0 * q3;
        s10 += p1 * q0; s11 += p1 * q1; s12 += p1 * q2; s13 += p1 * q3;
        s20 += p2 * q0; s21 += p2 * q1; s22 += p2 * q2; s23 += p2 * q3;
        s30 += p3 * q0; s31 += p3 * q1; s32 += p3 * q2; s33 += p3 * q3;
      }
      put(row, s00, s01, s02, s03); put(row + 1, s10, s11, s12, s13);
      put(row + 2, s20, s21, s22, s23); put(row + 3, s30, s31, s32, s33);
    }
    for (; row < rows; row++) { // the remaining rows
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (let i = 0; i < width; i++) {
        const p = left[row * width + i];
        s0 += p * four[i]; s1 += p * four[b1 + i];
        s2 += p * four[b2 + i]; s3 += p * four[b3 + i];
      }
      put(row, s0, s1, s2, s3);
    }
  }
  return y;
}

// x · Wᵀ + b in PyTorch's layout, a row of W for each output. W is stored as whole numbers
// from -127 to 127, which become weights again when multiplied by the scale of their row.
export function linear(x, { weight, scale, bias }) {
  const size = scale.length, y = product(x, weight, weight.length / size);
  for (let start = 0; start < y.length; start += size) {
    for (let i = 0; i < size; i++) y[start + i] = y[start + i] * scale[i] + (bias?.[i] ?? 0);
  }
  return y;
}

// Each row of x, with mean 0 and variance 1, times the weight, plus the bias. RMSNorm
// subtracts no mean and adds no bias.
export function layerNorm(x, { weight, bias }, { norm, layer_norm_eps }) {
  const size = weight.length, y = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += size) {
    let sum = 0, squares = 0;
    for (let i = 0; i < size; i++) sum += x[start + i];
    const mean = norm === "rms" ? 0 : sum / size;
    for (let i = 0; i < size; i++) squares += (x[start + i] - mean) ** 2;
    const deviation = Math.sqrt(squares / size + layer_norm_eps);
    for (let i = 0; i < size; i++) {
      y[start + i] = ((x[start + i] - mean) / deviation) * weight[i] + (bias?.[i] ?? 0);
    }
  }
  return y;
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

const silu = x => x / (1 + Math.exp(-x));
const ACTIVATIONS = {
  relu: x => Math.max(x, 0),
  gelu,
  gelu_tanh: x => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu,
  swiglu: silu,
};

// W₂ · activation(W₁ x): a gated layer multiplies by a second product before W₂.
export function feedForward(x, part, { activation }) {
  const gated = activation === "swiglu";
  const inner = linear(x, part(gated ? "gate" : "expand")).map(ACTIVATIONS[activation]);
  if (gated) linear(x, part("expand")).forEach((value, i) => { inner[i] *= value; });
  return linear(inner, part("contract"));
}

// Turns scores into weights, in place; if all of them are −∞, into weights of 0.
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

// The columns of one head, (length, d_k), or their transpose, (d_k, length).
export function headOf(x, width, head, d_k, transposed = false) {
  const length = x.length / width, part = new Float32Array(length * d_k);
  for (let row = 0; row < length; row++) {
    for (let i = 0; i < d_k; i++) {
      part[transposed ? i * length + row : row * d_k + i] = x[row * width + head * d_k + i];
    }
  }
  return part;
}

export const sizeOfHead = ({ d_k, d_model, num_heads }) => d_k ?? d_model / num_heads;

// softmax(QKᵀ / √d_k) V, head by head. A causal mask hides positions after a query's; the
// queries are at the last positions of the keys. Heads of queries may share keys.
export function attention(query, key, value, config, causal) {
  const { num_heads, num_kv_heads } = config, d_k = sizeOfHead(config);
  const width = num_heads * d_k, group = num_heads / (num_kv_heads ?? num_heads);
  const kvWidth = width / group, queries = query.length / width, keys = key.length / kvWidth;
  const y = new Float32Array(query.length), maps = [];
  for (let head = 0; head < num_heads; head++) {
    const shared = Math.floor(head / group);
    const weights = product(
      headOf(query, width, head, d_k), headOf(key, kvWidth, shared, d_k), d_k);
    for (let place = 0; place < queries; place++) {
      const row = weights.subarray(place * keys, (place + 1) * keys); // scores of a query
      const last = causal ? keys - queries + place : keys;
      for (let i = 0; i < keys; i++) row[i] = i > last ? -Infinity : row[i] / Math.sqrt(d_k);
      softmax(row);
    }
    const mixed = product(weights, headOf(value, kvWidth, shared, d_k, true), keys);
    for (let i = 0; i < mixed.length; i++) {
      y[Math.floor(i / d_k) * width + head * d_k + (i % d_k)] = mixed[i];
    }
    maps.push(weights);
  }
  return [y, maps];
}

// Rotary positions: each head's vector turns by its position, (a, b) → (a cos − b sin,
// b cos + a sin), with a in its first half and b in its second.
export function rotate(x, heads, config, start) {
  const d_k = sizeOfHead(config), half = d_k / 2, y = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += d_k) {
    const position = start + Math.floor(at / (heads * d_k));
    for (let i = 0; i < half; i++) {
      const angle = position * config.rotary_base ** (-2 * i / d_k);
      const cos = Math.cos(angle), sin = Math.sin(angle), a = x[at + i], b = x[at + half + i];
      y[at + i] = a * cos - b * sin;
      y[at + half + i] = b * cos + a * sin;
    }
  }
  return y;
}

// The paper's positions: sines and cosines that alternate.
function sinusoid(position, size) {
  return Float32Array.from({ length: size }, (_, i) => {
    const angle = position / 10_000 ** ((i - i % 2) / size);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

export function add(x, y) {
  const sum = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) sum[i] = x[i] + y[i];
  return sum;
}

// Ids → vectors: a token's row of the table, and its position unless that is rotary.
export function embed(ids, model, name, start = 0) {
  const { config } = model, size = config.d_model, x = new Float32Array(ids.length * size);
  const factor = config.scale_embeddings ? Math.sqrt(size) : 1;
  ids.forEach((id, place) => {
    let sum = model.row(`${name}.tokens`, id).map(number => number * factor);
    if (config.positions === "learned") {
      sum = add(sum, model.row(`${name}.positions.table`, start + place));
    } else if (config.positions === "sinusoidal") {
      sum = add(sum, sinusoid(start + place, size));
    }
    if (config.num_segments) sum = add(sum, model.row(`${name}.segments`, 0));
    x.set(sum, place * size);
  });
  return config.norm_embeddings ? layerNorm(x, model.layer(`${name}.norm`), config) : x;
}

// x + f(x), with layer norm after the sum (post-LN) or before f (pre-LN).
export function addAndNorm(x, norm, config, f) {
  return config.norm_first
    ? add(x, f(layerNorm(x, norm, config)))
    : layerNorm(add(x, f(x)), norm, config);
}
