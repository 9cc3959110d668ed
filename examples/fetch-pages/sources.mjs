// Where the pages come from: the caller's URLs, or a server of our own that counts what it sees.
//
// Both give `pages` (url, ramMb: what to claim, bytes: the size if known), and `close()`, which
// resolves to what the server saw, if there was one to look.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { turnStart } from "./clock.mjs";
import { MB, refuse } from "./options.mjs";

/** The caller's URLs. Their sizes are unknown, so each claims the same memory. */
export function givenUrls({ urls, pageMemory }) {
  return {
    pages: urls.map((url) => ({ url, ramMb: pageMemory })),
    close: async () => undefined,
  };
}

/**
 * A site on 127.0.0.1. It runs in a thread of its own, so that what it counts does not depend on
 * the code that is being watched; its listing says how large each page is.
 */
export async function openSite({ pages: count, memory, connections }) {
  const server = new Worker(new URL("./server.mjs", import.meta.url), { workerData: { count } });
  const [{ port }] = await once(server, "message");
  const site = `http://127.0.0.1:${port}`;

  // Asked for on several connections, so that they are open, and the code warm, before it counts:
  // the later a request arrives after its grant, the less the server's count can tell.
  const readListing = async () => (await fetch(`${site}/listing.json`)).json();
  const [listing] = await Promise.all(Array.from({ length: Math.min(connections, 20) }, readListing));
  const pages = listing.map(({ path, bytes }) => ({
    url: site + path,
    bytes,
    ramMb: Math.ceil(bytes / MB),
    headers: () => ({ "x-granted-at": String(turnStart()) }),
  }));

  async function close() {
    server.postMessage("close");
    const [{ seen }] = await once(server, "message");
    return seen;
  }

  const largest = Math.max(...pages.map((page) => page.ramMb));
  if (largest > memory) {
    await close();
    refuse([`--memory ${memory} could never hold the largest page: it takes ${largest} MB`]);
  }
  turnStart(); // the first claims are made, and granted, in this very turn
  return { pages, close };
}
