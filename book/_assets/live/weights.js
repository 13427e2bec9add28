// The files that a page loads on first use, and the model in one of them.

const CACHE = "the-transformer-twice-live";

// The answer of the browser's cache. Pages that are not secure (neither https nor this
// machine) have none, and one that fails for whatever reason counts as none.
async function ofCache(use) {
  try {
    return await use(await caches.open(CACHE));
  } catch {
    return undefined;
  }
}

// What `make` makes of the bytes of a file, from the browser's cache or from the server.
// A file is kept only if `make` succeeded.
export async function fetchKept(address, make, onProgress) {
  const kept = await ofCache(async cache => (await cache.match(address))?.arrayBuffer());
  if (kept) {
    try {
      return make(await unpacked(kept));
    } catch {
      await ofCache(cache => cache.delete(address)); // the server may have a better one
    }
  }
  const response = await fetch(address).catch(cause => {
    throw new Error("the server did not answer", { cause });
  });
  if (!response.ok) throw new Error(`${address} is missing (${response.status})`);
  const bytes = await read(response, onProgress);
  let made;
  try {
    made = make(await unpacked(bytes.buffer));
  } catch (cause) {
    throw new Error("what arrived is not the whole file", { cause });
  }
  await ofCache(cache => keep(cache, address, bytes));
  return made;
}

// The build compresses models (gzip, which begins with 1f 8b). Some servers let the browser
// decompress such files.
async function unpacked(buffer) {
  const [first, second] = new Uint8Array(buffer);
  if (first !== 0x1f || second !== 0x8b) return buffer;
  const stream = new Blob([buffer]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function read(response, onProgress) {
  const total = Number(response.headers.get("Content-Length")) || 0;
  const reader = response.body.getReader(), chunks = [];
  let loaded = 0;
  for (let chunk; !(chunk = await reader.read()).done; ) {
    chunks.push(chunk.value);
    loaded += chunk.value.length;
    onProgress(loaded, Math.max(total, loaded));
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

// Older versions of the same file leave the cache.
async function keep(cache, address, bytes) {
  const stem = address.replace(/-\w+\.[\w.]+$/, "");
  for (const request of await cache.keys()) {
    if (request.url.startsWith(stem)) await cache.delete(request);
  }
  await cache.put(address, new Response(bytes));
}

// A safetensors file: the length of the header, the header, and the numbers. The header
// contains the model's config and what its tokenizer needs.
export function readModel(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: words, ...header } =
    JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(header)) {
    const Numbers = { F32: Float32Array, I8: Int8Array }[dtype];
    const count = (end - start) / Numbers.BYTES_PER_ELEMENT;
    tensors[name] = { shape, numbers: new Numbers(buffer, 8 + length + start, count) };
  }
  const model = JSON.parse(words.model);
  addStages(model.stages ?? [], tensors);
  const layers = {};
  for (const name of Object.keys(tensors)) {
    if (!name.endsWith(".weight")) continue;
    const path = name.slice(0, -".weight".length);
    layers[path] = {
      weight: tensors[name].numbers,
      scale: tensors[`${name}.scale`]?.numbers,
      bias: tensors[`${path}.bias`]?.numbers,
      width: tensors[name].shape[1],
    };
  }
  return {
    ...model,
    layer: name => layers[name],
    numbers: name => tensors[name].numbers,
    // Weights were rounded to whole numbers: multiplied by their row's scale they are back.
    row(name, row) {
      const { weight, scale, width } = layers[name];
      return Float32Array.from(weight.subarray(row * width, (row + 1) * width),
        number => number * (scale?.[row] ?? 1));
    },
  };
}

// One model in several stages: after the first, the file has the difference of each 8-bit
// number from that of the previous stage, in 8 bits again.
function addStages(stages, tensors) {
  stages.slice(1).forEach((stage, i) => {
    for (const [name, { numbers }] of Object.entries(tensors)) {
      if (!name.startsWith(`${stage}.`) || !(numbers instanceof Int8Array)) continue;
      const before = tensors[stages[i] + name.slice(stage.length)].numbers;
      for (let j = 0; j < numbers.length; j++) numbers[j] += before[j];
    }
  });
}

// The model of one stage.
export const within = (model, stage) => ({
  ...model,
  layer: name => model.layer(`${stage}.${name}`),
  row: (name, row) => model.row(`${stage}.${name}`, row),
});
