// Opens the browser example in Chromium, on a desktop and on a phone, and looks at what it does.
//
// $CHROMIUM names the browser (/usr/bin/chromium if unset); $BURSAR_SCREENSHOTS the folder for the
// pictures (target/screenshots if unset).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PICTURES = process.env.BURSAR_SCREENSHOTS || join(ROOT, "target/screenshots");
const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SCREENS = [
  { name: "desktop", viewport: { width: 1280, height: 900 } },
  { name: "phone", viewport: { width: 390, height: 844 } },
];
const PATIENCE = 15_000; // milliseconds for whatever should come about

let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok - ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok - ${name}\n${String(error.stack ?? error).replace(/^/gm, "    ")}`);
  }
}

/** Starts the example's own server on a free port; resolves to its process and the page's address. */
async function startServer() {
  const script = join(ROOT, "examples/browser/serve.mjs");
  const server = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.startsWith("http://")) return { server, url: line };
  }
  throw new Error("examples/browser/serve.mjs ended without saying where it serves");
}

async function look(browser, url, { name, viewport }) {
  const context = await browser.newContext({ viewport, colorScheme: "light" });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });

  const it = (what, body) => check(`${name}: ${what}`, body);
  const stats = () => page.evaluate(() => window.__example.stats());
  const until = (condition, argument) =>
    page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 });
  const set = (id, value) =>
    page.locator(`#${id}`).evaluate((input, to) => {
      input.value = to;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, String(value));
  const picture = (scheme) =>
    page.screenshot({ path: join(PICTURES, `example-${name}-${scheme}.png`), fullPage: true });

  try {
    await page.goto(url);

    await it("claims are granted and returned", async () => {
      await until(() => window.__example?.stats().returned >= 15);
      const { granted, returned } = await stats();
      assert.ok(granted >= returned);
    });

    await it("what is held stays within every limit", async () => {
      await page.locator("#burst-of-work").click();
      await until(() => window.__example.stats().waiting > 5);
      const { maxHeld, capacity, violations } = await stats();
      assert.equal(violations, 0);
      for (const resource of Object.keys(maxHeld)) {
        assert.ok(maxHeld[resource] > 0, `${resource} was never held`);
        assert.ok(maxHeld[resource] <= capacity[resource], `${resource}: held too much`);
      }
    });

    await it("the waiting line says who waits for what", async () => {
      await page.locator("#line-list li").first().waitFor();
      const rows = await page.locator("#line-list li").allInnerTexts();
      assert.ok(rows.length > 0);
      for (const row of rows) assert.match(row, /(page|archive|query|report) \d+.* (conn|MB)/s);
      assert.ok((await page.locator("#line-list .short").count()) > 0);
    });

    await it("the page does not scroll sideways", async () => {
      const { content, window: width } = await page.evaluate(() => ({
        content: document.documentElement.scrollWidth,
        window: document.documentElement.clientWidth,
      }));
      assert.ok(content <= width, `${content} pixels in a window of ${width}`);
    });

    await page.waitForTimeout(4_000); // something to see
    await picture("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForTimeout(200);
    await picture("dark");

    await it("a waiting claim can be cancelled", async () => {
      await page.locator("#burst-of-work").click();
      const before = (await stats()).refused;
      // Whichever is last when it is clicked may be granted in that moment: so until one is cancelled.
      await until((refused) => {
        [...document.querySelectorAll("#line-list .cancel")].at(-1)?.click();
        return window.__example.stats().refused > refused;
      }, before);
    });

    await it("a lower limit holds once the returns have paid for it", async () => {
      await set("connections", 3);
      assert.equal((await stats()).capacity.connections, 3);
      await until(() => window.__example.stats().held.connections <= 3);
      for (let times = 0; times < 10; times += 1) {
        await page.waitForTimeout(50);
        const { held, violations } = await stats();
        assert.ok(held.connections <= 3, `${held.connections} held`);
        assert.equal(violations, 0);
      }
    });

    await it("a higher limit is used", async () => {
      await set("hold", 5);
      await set("ramMb", 512);
      await set("burst", 30);
      await set("rate", 20);
      await set("connections", 20);
      await page.locator("#burst-of-work").click();
      await page.locator("#burst-of-work").click();
      await until(() => window.__example.stats().held.connections > 8);
      const { capacity, violations } = await stats();
      assert.deepEqual(capacity, { connections: 20, ramMb: 512, requests: 30 });
      assert.equal(violations, 0);
    });

    await it("paused, it grants what waits and comes to rest", async () => {
      await set("hold", 0.1);
      await page.locator("#pause").click();
      await until(() => {
        const { granted, waiting, returned } = window.__example.stats();
        return waiting === 0 && granted === returned;
      });
      const { granted, held, violations } = await stats();
      assert.deepEqual(held, { connections: 0, ramMb: 0 });
      assert.equal(violations, 0);
      await page.waitForTimeout(500);
      assert.equal((await stats()).granted, granted);
    });

    await it("another order starts over", async () => {
      for (const order of ["newest", "greedy"]) {
        await page.locator(`#order-${order}`).check();
        assert.equal((await stats()).granted, 0);
        await page.locator("#burst-of-work").click();
        await until(() => window.__example.stats().granted > 0);
        assert.equal((await stats()).violations, 0);
      }
    });

    await it("the keyboard reaches every control and moves it", async () => {
      await page.locator("#pause").focus();
      const reached = new Set();
      for (let times = 0; times < 80 && !reached.has("maxBypass"); times += 1) {
        reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
      }
      const controls = ["pause", "burst-of-work", "restart", "connections", "ramMb", "rate", "burst"];
      controls.push("arrivals", "size", "hold", "order-greedy", "maxBypass");
      for (const id of controls) assert.ok(reached.has(id), `Tab never came to #${id}`);

      await page.locator("#connections").focus();
      const before = (await stats()).capacity.connections;
      await page.keyboard.press("ArrowLeft");
      assert.equal((await stats()).capacity.connections, before - 1);
      await page.locator("#pause").focus();
      await page.keyboard.press("Space");
      assert.equal(await page.locator("#pause").getAttribute("aria-pressed"), "false");
    });

    await it("the console stays silent", () => assert.deepEqual(complaints, []));
  } finally {
    await context.close();
  }
}

await mkdir(PICTURES, { recursive: true });
const { server, url } = await startServer();
let browser;
try {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ARGS,
  });
  for (const screen of SCREENS) await look(browser, url, screen);
} catch (error) {
  failed += 1;
  console.log(`not ok - ${String(error.stack ?? error)}`);
} finally {
  await browser?.close();
  server.kill();
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
