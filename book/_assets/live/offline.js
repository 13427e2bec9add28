// Without a network, pages whose models have been used come from the browser's cache.
// The build puts this file at the top of the site: it serves what is below it.

const BUILD = ""; // which the build writes here
// One cache for each edition and build: a page never gets the scripts of another build.
const EDITION = `the-transformer-twice-pages ${registration.scope} `;
const CACHE = EDITION + BUILD;
const ONCE = "the-transformer-twice-pages"; // that of all editions, before there were builds

addEventListener("install", () => skipWaiting());

// A page has loaded these addresses: keep them, and nothing of older builds.
addEventListener("message", event => event.waitUntil(keep(event.data).catch(console.warn)));

async function keep(addresses) {
  const cache = await caches.open(CACHE);
  await cache.addAll(addresses);
  for (const { url } of await cache.keys()) {
    const old = withoutVersion(url);
    if (!addresses.includes(url) && addresses.some(address => withoutVersion(address) === old)) {
      await cache.delete(url);
    }
  }
  for (const name of await caches.keys()) {
    if (name.startsWith(EDITION) && name !== CACHE) await caches.delete(name);
  }
  if (!(await caches.has(ONCE))) return;
  const once = await caches.open(ONCE);
  for (const request of await once.keys()) {
    if (request.url.startsWith(registration.scope)) await once.delete(request);
  }
}

const withoutVersion = address => address.split("?")[0];

// A page is the same whatever it is asked; a file with another version is another.
async function kept(request) {
  const isPage = request.mode === "navigate";
  for (const name of (await caches.keys()).filter(name => name.startsWith(EDITION))) {
    const found = await (await caches.open(name))
      .match(request, { ignoreSearch: isPage, ignoreVary: true });
    if (found) return found;
  }
  return undefined;
}

addEventListener("fetch", event => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(location.origin)) return;
  event.respondWith(fetch(request).catch(async error => {
    const found = await kept(request).catch(() => undefined);
    if (found) return found;
    throw error;
  }));
});
