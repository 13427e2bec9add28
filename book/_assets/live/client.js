// One worker for all models of a page, and what it is asked.

const asked = new Map();
let worker, number = 0;

function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    const waiting = asked.get(data.number);
    if (!waiting) return;
    if (data.loaded !== undefined) return waiting.onProgress?.(data.loaded, data.total);
    asked.delete(data.number);
    if (data.error) waiting.reject(new Error(data.error));
    else waiting.resolve(data.result);
  });
  // One of its files is missing, or the browser starts no workers.
  worker.addEventListener("error", () => {
    for (const { reject } of asked.values()) {
      reject(new Error(navigator.onLine ? "the program that computes beside the page did not start"
        : "the server did not answer"));
    }
    asked.clear();
    worker = undefined;
    loaded.clear();
  });
}

// Why something failed, without a full stop, which browsers may or may not add.
export const reasonOf = ({ message }) => message.replace(/[.!\s]+$/, "");

// Give the worker a job; returns a promise of its result.
export async function ask(job, details, onProgress) {
  if (!worker) start();
  return new Promise((resolve, reject) => {
    asked.set(++number, { resolve, reject, onProgress });
    worker.postMessage({ number, job, ...details });
  });
}

// For visits without a network. The page works without it, too.
const A_WHILE = 2000; // milliseconds, for what is still to be drawn
async function keep() {
  const { keepThePage } = await import("./keep.js");
  await keepThePage(await ask("files"));
}

// A model is loaded once; a failed attempt can be repeated.
const loaded = new Map();
export function load(name, files, onProgress) {
  if (!loaded.has(name)) {
    const model = ask("load", { name, ...files }, onProgress);
    loaded.set(name, model.catch(error => {
      loaded.delete(name);
      throw error;
    }));
    model.then(() => setTimeout(() => keep().catch(console.warn), A_WHILE), () => {});
  }
  return loaded.get(name);
}
