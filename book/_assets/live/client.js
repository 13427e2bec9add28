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
  // A file of it that is missing, or a browser that starts no workers.
  worker.addEventListener("error", () => {
    for (const { reject } of asked.values()) {
      reject(new Error("the program that computes beside the page did not start"));
    }
    asked.clear();
    worker = undefined;
    loaded.clear();
  });
}

// Ask the worker for a job; the promise holds its result.
export function ask(job, details, onProgress) {
  if (!worker) start();
  return new Promise((resolve, reject) => {
    asked.set(++number, { resolve, reject, onProgress });
    worker.postMessage({ number, job, ...details });
  });
}

// A model is loaded once. A try that failed may be made again.
const loaded = new Map();
export function load(name, files, onProgress) {
  if (!loaded.has(name)) {
    loaded.set(name, ask("load", { name, ...files }, onProgress).catch(error => {
      loaded.delete(name);
      throw error;
    }));
  }
  return loaded.get(name);
}
