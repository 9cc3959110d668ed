// What happened, in a few lines that fit 60 columns.

import { MB } from "./options.mjs";

const COLUMNS = 60;

/** Compares what the server saw with the limits; true if all were kept and every page came. */
export function reportSite(results, seconds, seen, { connections, memory, rate, burst }) {
  // In any window of t seconds a bucket grants at most burst + rate * t. The server cannot see
  // grants, only arrivals, each up to `late` seconds after its grant. Whatever arrives within one
  // second was therefore granted within 1 + late seconds: so many it may count, and no more.
  const late = seen.longestDelay / 1_000;
  const granted = Math.floor(burst + rate);
  const arrived = Math.floor(burst + rate * (1 + late));

  const rows = [
    ["connections at once", connections, seen.inFlight],
    ["megabytes in flight", memory, seen.bytesInFlight / MB],
    ["requests in any second", arrived, seen.inAnySecond],
  ].map(([name, most, saw]) => ({ name, most, saw, kept: saw <= most }));

  console.log();
  console.log(row("limit", "at most", "server saw", ""));
  for (const { name, most, saw, kept } of rows) {
    console.log(row(name, String(most), short(saw), kept ? "ok" : "EXCEEDED"));
  }

  const bytes = sum(results.map((result) => result.bytes ?? 0));
  const came = results.filter((result) => result.ok).length;
  const floor = Math.max(0, (seen.requests - burst) / rate);
  console.log();
  say(
    `${came} of ${results.length} pages, ${size(bytes)}, in ${seconds.toFixed(2)} s: ` +
      `${(came / seconds).toFixed(1)} a second.`,
  );
  say(
    `The rate alone asks for ${floor.toFixed(2)} s, (${seen.requests} - ${burst}) / ${rate}; ` +
      `this took ${(seconds - floor).toFixed(2)} s more.`,
  );
  say(
    `In any second ${burst} + ${rate} = ${granted} requests may be granted. They reached the server up to ` +
      `${seen.longestDelay.toFixed(1)} ms later, so it may see ${burst} + ${rate} x ${(1 + late).toFixed(3)}, ` +
      `rounded down: ${arrived}.`,
  );
  sayFailures(results);
  return came === results.length && rows.every(({ kept }) => kept);
}

/** One line for each URL; true if all came. */
export function reportUrls(results, seconds) {
  console.log();
  const room = process.stdout.isTTY ? process.stdout.columns - 29 : Infinity;
  for (const { page, status, bytes, ms, problem } of results) {
    console.log(
      String(status ?? "failed").padEnd(6),
      (bytes === undefined ? "-" : size(bytes)).padStart(9),
      (ms === undefined ? "-" : `${ms.toFixed(0)} ms`).padStart(9),
      "",
      shorten(page.url, room),
    );
    if (problem) console.log(`       ${problem}`);
  }
  const came = results.filter((result) => result.ok).length;
  console.log();
  console.log(`${came} of ${results.length} fetched in ${seconds.toFixed(2)} s.`);
  return came === results.length;
}

/** Each cause once, with the pages it hit: one cause often fails hundreds. */
function sayFailures(results) {
  const urls = new Map();
  for (const { page, problem } of results.filter((result) => !result.ok)) {
    urls.set(problem, [...(urls.get(problem) ?? []), page.url]);
  }
  for (const [problem, [first, ...others]] of urls) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    console.log(`failed: ${problem}: ${first}${more}`);
  }
}

function row(name, most, saw, verdict) {
  return `${name.padEnd(24)}${most.padStart(9)}${saw.padStart(13)}   ${verdict}`.trimEnd();
}

function say(text) {
  let line = "";
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > COLUMNS) {
      console.log(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  console.log(line);
}

function size(bytes) {
  return bytes < MB ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / MB).toFixed(1)} MB`;
}

function short(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(2);
}

function shorten(text, room) {
  return text.length <= room ? text : `${text.slice(0, Math.max(8, room - 1))}…`;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
