// The two files that the page loads on a click, and the model's tensors in one of them.

const CACHE = "the-transformer-twice-live";

// The bytes of a file: from the browser's cache, or from the server and then kept there.
// A browser offers its cache to secure pages only (https, or this machine).
export async function fetchKept(address, onProgress) {
  const cache = globalThis.caches && (await caches.open(CACHE));
  const kept = await cache?.match(address);
  if (kept) return kept.arrayBuffer();
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is missing (${response.status})`);
  const bytes = await read(response, onProgress);
  if (cache) await keep(cache, address, bytes);
  return bytes.buffer;
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

// Older versions of the same file leave the cache. Without room the page works on.
async function keep(cache, address, bytes) {
  const stem = address.replace(/-\w+\.\w+$/, "");
  for (const request of await cache.keys()) {
    if (request.url.startsWith(stem)) await cache.delete(request);
  }
  await cache.put(address, new Response(bytes)).catch(error => console.warn(error));
}

// A safetensors file: the length of the header, the header, and the numbers.
export function readModel(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const Numbers = { F32: Float32Array, I8: Int8Array }[dtype];
    const count = (end - start) / Numbers.BYTES_PER_ELEMENT;
    tensors[name] = { shape, numbers: new Numbers(buffer, 8 + length + start, count) };
  }

  // Weights were rounded to whole numbers: times the scale of their row they are back.
  const rowOf = (name, row) => {
    const { shape: [, width], numbers } = tensors[`${name}.weight`];
    const scale = tensors[`${name}.weight.scale`]?.numbers[row] ?? 1;
    return Float32Array.from(numbers.subarray(row * width, (row + 1) * width),
      number => number * scale);
  };
  const layers = {};
  for (const name of Object.keys(tensors)) {
    if (!name.endsWith(".bias")) continue;
    const path = name.slice(0, -".bias".length);
    layers[path] = {
      weight: tensors[`${path}.weight`].numbers,
      scale: tensors[`${path}.weight.scale`]?.numbers,
      bias: tensors[name].numbers,
    };
  }
  return {
    layer: name => layers[name],
    vectors: name => ({ row: row => rowOf(name, row) }),
  };
}
