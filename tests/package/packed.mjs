// The package as its users get it: packed, then installed offline into an empty folder.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at, environment } from "../../scripts/lib/paths.mjs";

/** Runs a program in a folder and returns what it printed; a failure carries both outputs in its message. */
export function execute(folder, program, args) {
  try {
    const options = { cwd: folder, encoding: "utf8", env: environment(), stdio: ["ignore", "pipe", "pipe"] };
    return execFileSync(program, args, options).trim();
  } catch (error) {
    throw new Error(`${program} ${args.join(" ")}\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}

/** Packs and installs. `files` are the tarball's, `folder` is the user's project. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), "bursar-package-"));
  // Without scripts: the part that builds has run before, and what it prints would spoil the JSON.
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [tarball] = JSON.parse(execute(at(), "npm", pack));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  execute(folder, "npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball.filename)]);
  return {
    folder,
    files: tarball.files.map((file) => file.path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
