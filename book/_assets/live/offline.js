// Without a network, pages whose models have been used come from the browser's cache.
// The build puts this file at the top of the site: it serves what is below it.

addEventListener("fetch", event => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(location.origin)) return;
  event.respondWith(fetch(request).catch(async error => {
    const kept = await caches.match(request, { ignoreSearch: true, ignoreVary: true });
    if (kept) return kept;
    throw error;
  }));
});
