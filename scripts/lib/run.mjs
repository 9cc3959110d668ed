// Child processes: quiet ones, whose output matters only if they fail, and loud ones, which the user watches.

import { spawnSync } from "node:child_process";
import { Failure } from "./failure.mjs";
import { environment, root } from "./paths.mjs";

const options = { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 };

/** What a command prints on standard output, or undefined where it is missing or fails. */
export function probe(command, args) {
  const child = spawnSync(command, args, {
    ...options,
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  return child.status === 0 ? child.stdout.trim() : undefined;
}

/** Runs a command and keeps what it prints; it is shown only if the command fails. */
export function quiet(command, args, { cwd = root, env = {}, why = `${command} ${args[0]} failed` } = {}) {
  const child = spawnSync(command, args, {
    ...options,
    cwd,
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.error) throw new Failure(`${why}: ${child.error.message}`);
  if (child.status !== 0) throw new Failure(why, child.stdout + child.stderr);
  return child.stdout;
}

/**
 * Runs a command on the user's terminal. Returns its exit code.
 *
 * @param {{ timeout?: number }} [limits] milliseconds after which the command is ended and has failed; else none
 */
export function loud(command, args, { timeout } = {}) {
  const child = spawnSync(command, args, { cwd: root, env: environment(), stdio: "inherit", timeout });
  if (child.error) console.error(`bursar: ${command}: ${child.error.message}`);
  return child.status ?? 1;
}
