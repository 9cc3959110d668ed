// One set of tests, two places: Node and a real Chromium. They test what ships, dist/, so the build comes first.
//
// `name.node.test.ts` is for Node only, `name.browser.test.ts` for Chromium only, `name.test.ts` for both.

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { at } from "./scripts/lib/paths.mjs";
import { findChromium } from "./scripts/lib/setup/chromium.mjs";

const include = ["tests/js/**/*.test.ts"];

// `--no-sandbox`: containers run as root. The rest keeps the browser from asking the network for anything.
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const inNode = {
  resolve: { alias: { "bursar/config": at("dist/config.node.mjs"), bursar: at("dist/node.mjs") } },
  test: {
    name: "node",
    environment: "node",
    include,
    exclude: ["**/*.browser.test.ts"],
    // The package as Node itself loads it, not as Vite would transform it.
    server: { deps: { external: [/\/dist\//] } },
  },
};

const inChromium = {
  resolve: { alias: { "bursar/config": at("dist/config.js"), bursar: at("dist/index.js") } },
  test: {
    name: "chromium",
    include,
    exclude: ["**/*.node.test.ts"],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: { executablePath: findChromium(), args } }),
      instances: [{ browser: "chromium" }],
    },
  },
};

export default defineConfig({ test: { projects: [inNode, inChromium] } });
