// The results as a plot: how much one claim costs, and what becomes of it in a line.

import { Failure } from "../../../scripts/lib/failure.mjs";
import { captionOf } from "./results.mjs";
import { runtimes } from "./runtimes.mjs";

/** The runtime that the plot is of: the first that was measured. */
function ofOneRuntime(rows) {
  const { runtime, runtime_version } = rows.find((row) => row.runtime_version);
  return {
    rows: rows.filter((row) => row.runtime === runtime),
    name: `${runtimes[runtime].title} ${runtime_version}`,
  };
}

const panels = { "uncontended-1": "1 resource", "uncontended-3": "3 resources", run: "run" };

/** Colours that can be told apart on white and on black. Words get lighter on a dark page (see `darkAware`). */
const ink = { text: "#444444", faint: "#8b8b8b", grid: "#8b8b8b40", bursar: "#e4572e", peer: "#6b8fb5" };
const palette = ["#8b8b8b", "#3d7cc9", "#3fa66b", "#b56cc4", "#c9a227", "#35b5b5", "#a8754f", "#e58fb0"];

/** The bars end here; what is beyond is told by its figure. */
const longest = 300;

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const isBursar = "datum.library === 'bursar'";

/** By the cost of one claim, the cheapest first. */
function librariesOf(rows) {
  const of = (library) => rows.find((row) => row.library === library && row.case === "uncontended-1");
  const cost = (library) => of(library)?.ratio_to_floor ?? 0;
  return [...new Set(rows.map(({ library }) => library))].sort((a, b) => cost(a) - cost(b));
}

function figure(ratio) {
  return ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en");
}

function bars(rows) {
  const shown = rows.filter((row) => row.case in panels && row.ratio_to_floor !== null);
  const values = shown.map(({ case: name, library, ratio_to_floor: ratio }) => {
    return { what: panels[name], library, ratio: Math.min(ratio, longest), label: figure(ratio) };
  });
  const y = {
    field: "library",
    type: "nominal",
    sort: librariesOf(shown),
    title: null,
    axis: { ticks: false, domain: false },
  };
  const scale = { type: "log", domain: [1, longest] };
  const x = { field: "ratio", type: "quantitative", scale, axis: null };
  const color = { condition: { test: isBursar, value: ink.bursar }, value: ink.peer };
  const bar = {
    mark: { type: "bar", height: { band: 0.7 } },
    encoding: { y, x, x2: { datum: 1 }, color },
  };
  const text = {
    mark: { type: "text", align: "left", dx: 4 },
    encoding: { y, x, text: { field: "label" } },
  };
  return {
    title: "One at a time: how many bare awaited promises (logarithmic; shorter is better)",
    data: { values },
    facet: { column: { field: "what", type: "nominal", sort: Object.values(panels), title: null } },
    spacing: 50,
    spec: { width: 170, height: { step: 18 }, layer: [bar, text] },
  };
}

function lines(rows, name, title) {
  const shown = rows.filter((row) => row.case === name && row.ns !== null);
  const values = shown.map(({ library, n, ns }) => ({ library, n, us: ns / 1_000 }));
  const costs = values.map(({ us }) => us);
  // Every panel has the same colours, also for a library that only one of them has.
  const others = librariesOf(rows.filter((row) => row.case === "contended" && row.ns !== null)).filter(
    (id) => id !== "bursar",
  );
  const scale = { domain: ["bursar", ...others], range: [ink.bursar, ...palette] };
  const x = {
    field: "n",
    type: "quantitative",
    scale: { type: "log", nice: false },
    axis: { format: "~s", values: [...new Set(values.map(({ n }) => n))] },
    title: "queued at once",
  };
  const y = {
    field: "us",
    type: "quantitative",
    scale: { type: "log", domain: [Math.min(...costs) / 1.3, Math.max(...costs) * 1.3], nice: false },
    axis: { format: "~g", values: steps },
    title: null,
  };
  const legend = { orient: "bottom", columns: 5, symbolType: "stroke", symbolStrokeWidth: 3, title: null };
  return {
    title,
    data: { values },
    width: 285,
    height: 220,
    mark: { type: "line", point: { size: 30 } },
    encoding: {
      x,
      y,
      color: { field: "library", type: "nominal", scale, legend },
      strokeWidth: { condition: { test: isBursar, value: 3.5 }, value: 1.5 },
    },
  };
}

function specOf(results) {
  const { rows, name } = ofOneRuntime(results.rows);
  const missing = [...Object.keys(panels), "contended", "priorities"].find(
    (id) => !rows.some((row) => row.case === id && row.ns !== null),
  );
  if (missing) throw new Failure(`the plot needs the case ${missing}, which these results do not have`);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "transparent",
    title: {
      text: `bursar and its peers, ${name}`,
      subtitle: [captionOf(results), results.command],
      offset: 16,
    },
    spacing: 30,
    vconcat: [
      bars(rows),
      {
        spacing: 40,
        hconcat: [
          lines(rows, "contended", "On ten permits: µs a task"),
          lines(rows, "priorities", "With random priorities: µs a task"),
        ],
      },
    ],
    config: {
      font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: {
        labelColor: ink.text,
        titleColor: ink.text,
        gridColor: ink.grid,
        domainColor: ink.faint,
        tickColor: ink.faint,
      },
      legend: { labelColor: ink.text },
      header: { labelColor: ink.text },
      text: { color: ink.text },
      title: { color: ink.text, subtitleColor: ink.faint, anchor: "start" },
    },
  };
}

/** An image follows the reader's colours by itself: words in ink on a light page, in chalk on a dark one. */
function darkAware(svg) {
  const style = `<style>@media (prefers-color-scheme: dark) { text[fill="${ink.text}"] { fill: #d6d6d6 } }</style>`;
  return svg.replace(/(<svg[^>]*>)/, `$1${style}`);
}

export async function plotOf(results) {
  const [vega, lite] = await Promise.all([import("vega"), import("vega-lite")]);
  const view = new vega.View(vega.parse(lite.compile(specOf(results)).spec), { renderer: "none" });
  const svg = await view.toSVG();
  return `${darkAware(svg)}\n`;
}
