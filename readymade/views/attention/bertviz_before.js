window.requirejs = (names, run) => {
  if (window.jQuery && window.d3) return run(window.jQuery, window.d3);
  document.getElementById("vis").textContent = "This view needs the network, to load " +
    "d3 and jQuery. The still picture shows the same attention.";
};
const HEAD_COLORS = Array.from({length: 12}, (_, i) => `var(--color-${i})`);
// The neuron view's columns are as wide as there is room for, its rows higher on a phone.
const ROOM = document.getElementById("vis").clientWidth;
const NARROW = ROOM < DRAWN.wide, PHONE = innerWidth < 700;
function unpack({shape, scale, data}) {
  const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
  const numbers = new DataView(bytes.buffer);
  let at = -2;
  const nest = ([size, ...rest]) => Array.from({length: size}, () =>
    rest.length ? nest(rest) : numbers.getInt16(at += 2, true) / scale);
  return nest(shape);
}
function feed({weights, queries, keys, query_tokens, key_tokens, parts, params}) {
  const cut = (array, ...spans) => !spans.length ? array :
    array.slice(...spans[0]).map(row => cut(row, ...spans.slice(1)));
  const every = [0, Infinity];
  const all = unpack(weights), q = queries && unpack(queries), k = keys && unpack(keys);
  params.attention = {};
  for (const [key, name, rows, columns] of parts) {
    params.attention[key] = {
      name,
      attn: cut(all, every, every, rows, columns),
      left_text: query_tokens.slice(...rows),
      right_text: key_tokens.slice(...columns),
      queries: q && cut(q, every, every, rows),
      keys: k && cut(k, every, every, columns),
    };
  }
  return params;
}
