// Puts the page together: work runs through a bursar, a history and an audit watch it, views show it.

import { Audit } from "./audit.mjs";
import { readColors, TimeCanvas } from "./canvas.mjs";
import { makeControls } from "./controls.mjs";
import { History } from "./history.mjs";
import { KINDS } from "./kinds.mjs";
import { Line } from "./line.mjs";
import { initialSettings, NUMBERS } from "./settings.mjs";
import { drawLanes, drawLevel, drawStack } from "./views.mjs";
import { Work } from "./work.mjs";

const settings = initialSettings();
const isLimit = new Set(NUMBERS.filter(({ group }) => group === "limit").map(({ name }) => name));
const line = new Line();
const lanes = new TimeCanvas(document.querySelector("#connections-view"));
const stack = new TimeCanvas(document.querySelector("#memory-view"));
const level = new TimeCanvas(document.querySelector("#requests-view"));

let work;
let history;
let audit;
let waiting;
let counts;

function start() {
  work?.end();
  history = new History();
  audit = new Audit(settings);
  waiting = new Set();
  counts = { granted: 0, returned: 0, refused: 0, longest: 0 };
  work = new Work(settings, watcher());
  history.sawMemory(settings.ramMb);
}

/** What happens to each piece of work, told to whoever keeps book of it. */
function watcher() {
  return {
    asked(piece) {
      waiting.add(piece);
    },
    granted(piece) {
      waiting.delete(piece);
      counts.granted += 1;
      counts.longest = Math.max(counts.longest, piece.granted - piece.asked);
      audit.granted(piece);
      history.granted(piece, settings.ramMb);
    },
    returned(piece) {
      counts.returned += 1;
      audit.returned(piece);
      history.returned(piece, settings.ramMb);
    },
    refused(piece) {
      waiting.delete(piece);
      counts.refused += 1;
    },
  };
}

makeControls(settings, {
  changed(name) {
    if (name === "order" || name === "maxBypass") return start();
    if (isLimit.has(name)) {
      audit.resized(settings);
      work.resize(name);
      history.sawMemory(settings.ramMb);
    }
    if (name === "arrivals") work.schedule();
  },
  pause: () => work.schedule(),
  more() {
    for (let count = 0; count < 20; count += 1) work.arrive();
  },
  restart: start,
});

function stats() {
  const { bursar } = work;
  const each = (names, of) => Object.fromEntries(names.map((name) => [name, of(name)]));
  return {
    granted: counts.granted,
    waiting: bursar.waiting,
    returned: counts.returned,
    refused: counts.refused,
    held: each(["connections", "ramMb"], (name) => bursar.held(name)),
    maxHeld: { ...audit.maxHeld },
    capacity: each(["connections", "ramMb", "requests"], (name) => bursar.capacity(name)),
    violations: audit.violations,
  };
}
window.__example = { stats };

const write = (id, text) => {
  const element = document.querySelector(`#${id}`);
  if (element.textContent !== text) element.textContent = text;
};

function showNumbers() {
  const { granted, waiting: inLine, returned, refused, held, capacity, violations } = stats();
  write("connections-now", `${held.connections} of ${capacity.connections}`);
  write("memory-now", `${held.ramMb} of ${capacity.ramMb} MB`);
  write("requests-now", `${work.bursar.available("requests")} of ${capacity.requests}`);
  write("count-granted", String(granted));
  write("count-waiting", String(inLine));
  write("count-returned", String(returned));
  write("count-refused", String(refused));
  write("count-longest", `${(counts.longest / 1_000).toFixed(1)} s`);
  write("count-violations", String(violations));
  line.show(waiting);
}

function showViews(now) {
  history.sawLevel(work.bursar.available("requests"), settings.burst);
  history.forget();
  drawLanes(lanes, history, settings.connections, now, colors);
  drawStack(stack, history, now, colors);
  drawLevel(level, history, now, colors);
}

/** Calls `show` with the time about so many times a second, while the page is seen. */
function often(perSecond, show) {
  let last = -Infinity;
  const frame = () => {
    requestAnimationFrame(frame);
    const now = performance.now();
    if (now - last < 1_000 / perSecond - 2) return;
    last = now;
    show(now);
  };
  frame();
}

let colors = readColors(KINDS);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colors = readColors(KINDS);
});
document.querySelector("#legend").append(
  ...KINDS.map(({ name, takes }, index) => {
    const item = document.createElement("li");
    item.style.setProperty("--kind", `var(--kind-${index})`);
    item.innerHTML = `<b>${name}</b> ${takes}`;
    return item;
  }),
);

const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
start();
often(calm ? 2 : 30, showViews);
often(calm ? 1 : 5, showNumbers);
