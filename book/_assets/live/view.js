// bertviz's head view: the page that the build made, in a frame, with our numbers.

const MANY_TOKENS = 32;

// Whether all heads would be too many lines to draw.
export const hasTooManyTokens = ({ tokens }) => tokens.length > MANY_TOKENS;

export function showView(box, reading, { layer, head }, all, onLayer) {
  const { tokens, layers } = reading;
  const count = layers[0].weights.length;
  const heads = hasTooManyTokens(reading) ? [head] : [...Array(count).keys()];
  const rows = weights => tokens.map((_, row) =>
    [...weights.subarray(row * tokens.length, (row + 1) * tokens.length)]);
  const attn = layers.map((_, i) => heads.map(number => rows(layers[i].weights[number])));
  const include_layers = layers.map((_, i) => i);
  const params = {
    root_div_id: "attention",
    default_filter: "all",
    attention: { all: { name: "All", attn, left_text: tokens, right_text: tokens } },
    include_layers,
    layer,
    heads: all || heads.length === 1 ? null : [head],
  };
  const shown = box.querySelector("iframe"), frame = shown ?? newFrame(onLayer);
  Object.assign(frame, { params, numbers: { layers: include_layers, heads } });
  if (shown) frame.contentWindow.location.reload();
  else box.replaceChildren(frame);
}

function newFrame(onLayer) {
  const frame = document.createElement("iframe");
  frame.title = "Head view of your sentence";
  frame.src = new URL("head_view.html", import.meta.url);
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    page.getElementById("vis").style.height = "auto"; // it was made for two tokens
    frame.style.height = `${page.documentElement.scrollHeight + 8}px`;
    // The view's menu and the page's choose the same layer.
    page.getElementById("layer").addEventListener("change", ({ target }) =>
      onLayer(Number(target.value)));
  });
  return frame;
}
