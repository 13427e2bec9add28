const fit = () => document.body.style.zoom = Math.max(SMALLEST,
  Math.min(1, Math.floor(1000 * innerWidth / WIDTH) / 1000));
addEventListener("resize", fit);
fit();
const rename = (menu, numbers) => document.querySelectorAll(`#${menu} option`)
  .forEach((option, place) => option.textContent = numbers[place]);
rename("layer", SHOWN.layers);
rename("att_head", SHOWN.heads);
