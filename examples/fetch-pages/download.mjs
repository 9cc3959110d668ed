// Fetches one page under a lease, and reads it into memory: never more than was claimed for it.

import { MB } from "./options.mjs";

const PATIENCE = 30_000; // milliseconds for one page, from its request to its last byte

/** Resolves to what came of the page; throws if it cannot be fetched. */
export async function download(page, lease) {
  const headers = page.headers?.();
  const started = performance.now();
  const response = await fetch(page.url, { headers, signal: AbortSignal.timeout(PATIENCE) });

  // Claimed more than the server now says it is? Others can have the rest already.
  const length = Number(response.headers.get("content-length"));
  const plain = !response.headers.has("content-encoding");
  const needed = Math.max(1, Math.ceil(length / MB));
  if (length > 0 && plain && needed < page.ramMb) lease.release({ ramMb: page.ramMb - needed });

  const { chunks, bytes } = await readAtMost(page.ramMb * MB, response);
  if (page.bytes !== undefined && bytes !== page.bytes) {
    throw new Error(`${bytes} bytes came, not ${page.bytes}`);
  }
  use(chunks);
  return {
    page,
    ok: response.ok,
    problem: response.ok ? undefined : `HTTP ${response.status} ${response.statusText}`.trim(),
    status: response.status,
    bytes,
    ms: performance.now() - started,
  };
}

/** What came of a page that could not be fetched. */
export function failed(page, error) {
  return { page, ok: false, problem: explain(error) };
}

async function readAtMost(most, response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) throw new Error(`larger than the ${most / MB} MB claimed for it (--page-memory)`);
    chunks.push(chunk);
  }
  return { chunks, bytes };
}

/** Here a program of yours does something with the page, still under its lease. */
function use(_chunks) {}

/** fetch says no more than "fetch failed"; why is in its cause, sometimes one for each address. */
function explain(error) {
  let cause = error;
  while (cause.cause instanceof Error) cause = cause.cause;
  if (cause instanceof AggregateError && cause.errors.length > 0) cause = cause.errors[0];
  if (cause.name === "TimeoutError") return `no answer within ${PATIENCE / 1_000} s`;
  return cause.message || cause.code || String(cause);
}
