// The theme's script, which comes late, looks whether the reader prefers dark pages and
// remembers the answer as "theme". Looked up here, before the first paint, a dark page
// is never white first.
{
  const mode = localStorage.getItem("mode") || "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", mode === "auto" ? (dark ? "dark" : "light") : mode);
}
