// Fetches a few hundred pages without overspending connections, memory or requests per second.
//
//   npm start                              pages of a small server that counts what it really sees
//   npm start -- URL...                    pages of yours
//   npm start -- --rate 20 --memory 8      other limits; --help lists them

import { Bursar, tokenBucket } from "bursar";
import { download, failed } from "./download.mjs";
import { readOptions } from "./options.mjs";
import { showProgress } from "./progress.mjs";
import { reportSite, reportUrls } from "./report.mjs";
import { givenUrls, openSite } from "./sources.mjs";

const options = readOptions(process.argv.slice(2));

// Everything that must not be overspent, in one place.
const bursar = new Bursar({
  connections: options.connections, // held while a page is fetched
  ramMb: options.memory, // held as well, as many as the page is large
  requests: tokenBucket({ rate: options.rate, burst: options.burst }), // spent, and refilled by time
});

// After Ctrl-C nothing new is started, and what runs is finished; a second one ends it all.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("stopped before its turn")));

const source = options.urls.length > 0 ? givenUrls(options) : await openSite(options);
const progress = showProgress(source.pages.length, bursar);

// One claim takes all three, or waits until all three are there; nothing is held while waiting.
// What was claimed goes back when the download ends, however it ends.
async function fetchPage(page) {
  const demand = { connections: 1, ramMb: page.ramMb, requests: 1 };
  const result = await bursar
    .run(demand, (lease) => download(page, lease), { signal: stop.signal })
    .catch((error) => failed(page, error));
  progress.pageDone();
  return result;
}

// So every page can be asked for at once: the bursar decides which go now.
const results = await Promise.all(source.pages.map(fetchPage));

const seconds = progress.stop();
const seen = await source.close();
const ok = seen ? reportSite(results, seconds, seen, options) : reportUrls(results, seconds);
process.exitCode = stop.signal.aborted ? 130 : ok ? 0 : 1;
