// Where the browser refuses to keep anything for this page, or has no room, scripts (the
// theme's, too) get a store that lasts as long as the page, with what could be read.
try {
  localStorage.setItem("theme", localStorage.getItem("theme") ?? "");
} catch {
  const kept = new Map();
  try {
    for (const [name, value] of Object.entries(localStorage)) kept.set(name, value);
  } catch {} // it refuses that, too
  try {
    Object.defineProperty(window, "localStorage", { configurable: true, value: {
      getItem: name => kept.get(name) ?? null,
      setItem: (name, value) => kept.set(name, `${value}`),
      removeItem: name => kept.delete(name),
    } });
  } catch {} // and that: the page works on without
}
// The theme's script, which comes late, looks whether the reader prefers dark pages and
// remembers the answer as "theme". Looked up here, before the first paint, a dark page
// is never white first.
try {
  const mode = localStorage.getItem("mode");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme",
    ["light", "dark"].includes(mode) ? mode : dark ? "dark" : "light");
} catch {} // as above
