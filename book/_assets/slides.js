// A deck of slides: keys, touch and print are reveal.js's own. What is printed is not
// scrolled to, so no picture waits until it comes near.
if (location.search.includes("print-pdf"))
  for (const image of document.images) image.loading = "eager";
Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  scrollActivationWidth: null,
  pdfMaxPagesPerSlide: 1,
});
