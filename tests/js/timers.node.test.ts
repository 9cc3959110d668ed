// A process ends when its work has: no timer outlives its claim.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Bursar, tokenBucket } from "bursar";
import { expect, test } from "vitest";

const entry = new URL("../../dist/node.mjs", import.meta.url).href;

/** Runs a program in a process of its own. Gives what it printed, once it ended by itself. */
function ran(program: string): Promise<string> {
  const source = `import { Bursar, tokenBucket } from ${JSON.stringify(entry)};\n${program}`;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { cwd });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  child.stderr.on("data", (data) => {
    output += data;
  });
  const overdue = setTimeout(() => {
    output += "did not end";
    child.kill("SIGKILL");
  }, 5_000);
  return new Promise((resolve) => {
    child.on("close", () => {
      clearTimeout(overdue);
      resolve(output.trim());
    });
  });
}

test.concurrent("a process ends after a timed claim was granted", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 }, { timeout: 3_600_000 });
    const claim = bursar.claim({ db: 1 }, { timeout: 3_600_000 });
    held.release();
    await claim;
    console.log("granted");
  `);
  expect(output).toBe("granted");
});

test.concurrent("a process ends after a timed claim was aborted", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1 }, { timeout: 3_600_000, signal: controller.signal });
    controller.abort("enough");
    await claim.catch(console.log);
  `);
  expect(output).toBe("enough");
});

test.concurrent("a process ends after a shutdown with timed claims in the line", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1e-6, burst: 1 }) });
    await bursar.claim({ db: 1, api: 1 });
    const claims = [bursar.claim({ db: 1 }, { timeout: 3_600_000 }), bursar.claim({ api: 1 })];
    bursar.shutdown();
    for (const { reason } of await Promise.allSettled(claims)) console.log(reason.code);
  `);
  expect(output).toBe("CLOSED\nCLOSED");
});

test.concurrent("a lease with a long ttl does not keep a process alive", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 }, { ttl: 3_600_000 });
    console.log("held");
  `);
  expect(output).toBe("held");
});

test.concurrent("a waiting claim with a timeout keeps the process alive until it has rejected", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    bursar.claim({ db: 1 }, { timeout: 100 }).catch((error) => console.log(error.code));
  `);
  expect(output).toBe("CLAIM_TIMEOUT");
});

test.concurrent("a claim that waits for a refill keeps the process alive until it is granted", async () => {
  const output = await ran(`
    const bursar = new Bursar({ api: tokenBucket({ rate: 10, burst: 1 }) });
    await bursar.claim({ api: 1 });
    bursar.claim({ api: 1 }).then(() => console.log("refilled"));
  `);
  expect(output).toBe("refilled");
});

test.concurrent("a claim that waits for a lapsing lease keeps the process alive until it is granted", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 }, { ttl: 100 });
    bursar.claim({ db: 1 }).then(() => console.log("taken over"));
  `);
  expect(output).toBe("taken over");
});

test.concurrent("nothing that is waited for is left once all claims have ended", async () => {
  const output = await ran(`
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 100, burst: 1 }) });
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const held = await bursar.claim({ db: 1, api: 1 }, { timeout: 60_000 });
    const controller = new AbortController();
    const claims = [
      bursar.claim({ db: 1 }, { timeout: 60_000 }),
      bursar.claim({ db: 1 }, { timeout: 60_000, signal: controller.signal }),
      bursar.claim({ db: 1 }, { timeout: 1 }),
      bursar.claim({ api: 1 }, { timeout: 60_000 }),
    ];
    const during = timers();
    await claims[2].catch(() => {});
    await claims[3];
    controller.abort();
    held.release();
    (await claims[0]).release();
    await Promise.allSettled(claims);
    console.log(during, timers());
  `);
  expect(output).toBe("1 0");
});

test("importing and making a bursar sets no timer", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 10 }) });
  const lease = bursar.tryClaim({ db: 1, api: 5 })!;
  expect(timers()).toBe(before);
  lease.release();
  expect(timers()).toBe(before);
});
