// Controls that several figures share.

// Whether two parts have room beside each other.
const WIDE = figure.clientWidth > 560;

// Move a slider, as the reader would.
function put(label, value) {
  const input = label.querySelector("input");
  input.value = value;
  input.dispatchEvent(new Event("input"));
}

// A menu of names, which reports the place of the chosen one.
function menu(label, names, chosen, changed) {
  const select = make("select", {}, ...names.map(name => make("option", {}, name)));
  select.style.cssText = "min-height: 28px; min-width: 0; flex: 1";
  select.selectedIndex = chosen;
  select.addEventListener("change", () => changed(select.selectedIndex));
  const whole = make("label", {}, label, select);
  whole.style.maxWidth = "100%";
  return whole;
}

// A slider over the steps from 0 to `last`, and a button that plays them: what `show` draws
// is said in `summary`. Where the reader wants no motion, the button goes to the last step.
const MILLISECONDS = 250; // of a step
function player(last, show, summary, name = String) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const steps = slider("step", {min: 0, max: last, step: 1, value: 0}, name, show);
  steps.className = "wide";
  steps.style.flexBasis = "200px"; // the button stays beside it when its words change
  const input = steps.querySelector("input");
  const play = make("button", {type: "button"});
  let timer = null;

  function stop() {
    clearInterval(timer);
    timer = null;
    summary.ariaLive = "polite";
    play.textContent = calm ? "Last step" : "Play";
  }
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (calm) return put(steps, last);
    if (Number(input.value) === last) put(steps, 0);
    summary.ariaLive = "off"; // many sentences in a few seconds
    play.textContent = "Pause";
    timer = setInterval(() => {
      put(steps, Number(input.value) + 1);
      if (Number(input.value) === last) stop();
    }, MILLISECONDS);
  });
  for (const touched of ["pointerdown", "keydown"]) input.addEventListener(touched, stop);
  stop();
  show(0);
  return make("div", {className: "controls"}, steps, play);
}
