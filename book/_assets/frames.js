// A view in a frame cannot see whether the page around it is dark, so the page tells it,
// when the view is loaded and whenever the reader changes the colours.
const root = document.documentElement;
const VIEW = ".attention-view iframe, .live-view iframe";
const views = () => document.querySelectorAll(VIEW);
const tell = view => view.contentWindow.postMessage({theme: root.dataset.theme}, "*");
document.addEventListener("load", event => {
  if (event.target.matches?.(VIEW)) tell(event.target);
}, true);
new MutationObserver(() => views().forEach(tell))
  .observe(root, {attributeFilter: ["data-theme"]});
views().forEach(tell);
