// The site: runs in a worker thread, serves the pages, and records what it sees of the requests.

import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { now } from "./clock.mjs";
import { makePages } from "./pages.mjs";
import { Recorder } from "./recorder.mjs";

const pages = makePages(workerData.count);
const byPath = new Map(pages.map((page) => [page.path, page]));
const content = Buffer.alloc(Math.max(...pages.map((page) => page.bytes)), "All work and no play. ");
const recorder = new Recorder();

const server = createServer((request, response) => {
  const arrived = now();
  const page = byPath.get(request.url);

  if (page) {
    // In flight from here until the last byte has been handed to the network, or the caller is gone.
    recorder.arrive(arrived, Number(request.headers["x-granted-at"]), page.bytes);
    response.once("close", () => recorder.leave(page.bytes));
    response.setHeader("content-type", "text/plain");
    response.setHeader("content-length", page.bytes);
    setTimeout(() => response.end(content.subarray(0, page.bytes)), page.latency);
  } else if (request.url === "/listing.json") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(pages.map(({ path, bytes }) => ({ path, bytes }))));
  } else {
    response.statusCode = 404;
    response.end("no such page\n");
  }
});

server.listen(0, "127.0.0.1", () => parentPort.postMessage({ port: server.address().port }));

parentPort.once("message", () => {
  server.close();
  server.closeAllConnections();
  parentPort.postMessage({ seen: recorder.seen() });
});
