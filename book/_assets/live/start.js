// Starts the models of a page where a browser allows it: over http, not from a file.

{
  const { src, dataset } = document.currentScript;
  // The models' files, and those of the scripts: all beside this one.
  const files = Object.fromEntries(
    Object.entries(dataset).map(([name, file]) => [name, new URL(file, src).href]));
  const parts = { "#live-form": "page.js", ".live-writer": "writer.js",
    ".live-translator": "translator.js", ".live-assistant": "assistant.js",
    ".live-digits": "digits.js" };
  if (location.protocol === "file:") {
    document.documentElement.classList.add("live-from-file");
  } else {
    for (const [place, script] of Object.entries(parts)) {
      const found = document.querySelector(place);
      if (!found) continue;
      import(new URL(script, src)).then(part => part.start(files, found)).catch(error => {
        found.querySelector("[role=status]").textContent =
          `That did not work: a part of this page did not load (${error.message}). Load the page again.`;
      });
    }
  }
}
