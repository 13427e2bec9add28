// Keeps what a page, its frames and the worker have loaded for visits without a network,
// which `offline.js` serves. The models' files are already kept.

const BUILD = ""; // written by the build
// Each edition of the book and each build of it has a cache: a page never gets the styles
// or scripts of another one.
const SCOPE = new URL("../../", import.meta.url).href;
const EDITION = `the-transformer-twice-pages ${SCOPE} `;
const ONCE = "the-transformer-twice-pages"; // the cache that all editions once shared
const withoutVersion = address => address.split("?")[0];

export async function keepThePage(filesOfTheWorker) {
  if (!navigator.serviceWorker) return; // it exists on secure pages only
  const loadedBy = ({ performance }) =>
    performance.getEntriesByType("resource").map(({ name }) => name);
  const frames = [...document.querySelectorAll("iframe")].filter(frame => frame.contentWindow);
  const names = [location.href.split("#")[0], ...loadedBy(window), ...filesOfTheWorker,
    ...frames.flatMap(frame => [frame.src, ...loadedBy(frame.contentWindow)])];
  const own = new Set(names.filter(name =>
    name.startsWith(location.origin) && !/safetensors|tokenizer-/.test(name)));
  const cache = await caches.open(EDITION + BUILD);
  await cache.addAll(own);
  await forgetOlder(cache, own);
  const worker = await navigator.serviceWorker.register(`${SCOPE}offline.js`);
  await worker.update();
}

// Files that a later visit has loaded in another version, and what older builds left.
async function forgetOlder(cache, own) {
  const paths = new Set([...own].map(withoutVersion));
  for (const { url } of await cache.keys()) {
    if (!own.has(url) && paths.has(withoutVersion(url))) await cache.delete(url);
  }
  for (const name of await caches.keys()) {
    if (name.startsWith(EDITION) && name !== EDITION + BUILD) await caches.delete(name);
  }
  if (!(await caches.has(ONCE))) return;
  const once = await caches.open(ONCE);
  for (const request of await once.keys()) {
    if (request.url.startsWith(SCOPE)) await once.delete(request);
  }
}
