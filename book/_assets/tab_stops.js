// The theme gives the keyboard a stop at what scrolls. It measures and marks one part
// after the other, and each mark makes the browser lay out the page anew, a second on a
// phone. Measured all together and marked afterwards, nothing is left for it to change.
const parts = [
  ...document.querySelectorAll(
    "pre, .cell_output > .output, .pst-scrollable-table-container",
  ),
];
const scrolls = parts.map(
  (part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight,
);
parts.forEach((part, number) => {
  part.tabIndex = scrolls[number] ? 0 : -1;
});
