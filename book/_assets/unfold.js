// The theme lets the keyboard into code that scrolls, and measures only what is seen.
// When a tab or a fold shows more, it must look again, as after a change of size.
for (const event of ["change", "toggle"]) {
  document.addEventListener(event, () => dispatchEvent(new Event("resize")), true);
}
