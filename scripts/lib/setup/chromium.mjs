// A real Chromium for the browser tests: the user's own, or Debian's where we may install it.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { Failure, say } from "../failure.mjs";
import { probe, quiet } from "../run.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser's path, or undefined. `CHROMIUM` overrides what is on the PATH. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

export function setUpChromium() {
  const found = findChromium();
  if (found !== undefined) {
    if (!isExecutable(found)) throw new Failure(`CHROMIUM is set to ${found}, which is no program`);
    return;
  }
  if (process.getuid?.() !== 0 || probe("apt-get", ["--version"]) === undefined) {
    throw new Failure("Chromium is missing: install chromium or set CHROMIUM to a browser's path");
  }
  say("installing Debian's chromium (once, a few minutes)");
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  quiet("apt-get", ["update"], { env, why: "apt-get update failed" });
  quiet("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
    env,
    why: "apt-get could not install chromium",
  });
}
