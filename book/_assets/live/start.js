// Starts the page "Your own sentence", where a browser lets it: over http, not from a file.

{
  const { weights, tokenizer } = document.getElementById("live-start").dataset;
  const here = document.currentScript.src;
  if (location.protocol === "file:") {
    document.documentElement.classList.add("live-from-file");
  } else {
    import(new URL("page.js", here)).then(page => page.start({
      weights: new URL(weights, here).href,
      tokenizer: new URL(tokenizer, here).href,
    }));
  }
}
