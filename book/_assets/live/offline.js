// Without a network, pages whose models have been used come from the browser's cache.
// The build puts this file at the top of the site, because it serves what is below it.

addEventListener("install", () => skipWaiting());

// What `keep.js` has kept of this edition. A page is the same whatever its query; a file
// in another version is another file.
async function kept(request) {
  const options = { ignoreSearch: request.mode === "navigate", ignoreVary: true };
  for (const name of await caches.keys()) {
    if (!name.startsWith(`the-transformer-twice-pages ${registration.scope} `)) continue;
    const found = await (await caches.open(name)).match(request, options);
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
