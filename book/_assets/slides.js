// A deck of slides: keys, touch and print are reveal.js's own.
Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  display: "flex",
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  pdfMaxPagesPerSlide: 1,
});
