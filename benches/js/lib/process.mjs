// A cell's process: started, watched, and ended when it takes too long or too much.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { at } from "../../../scripts/lib/paths.mjs";

/** Above this a library has given up: the machine is not made to swap for it. */
const maxGigabytes = 6;

function gigabytesOf(pid) {
  try {
    const [, kilobytes] = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/);
    return kilobytes / 1024 ** 2;
  } catch {
    return 0; // No such file on this system, or the process has just ended.
  }
}

/**
 * Starts a program in a process group of its own, so that ending it ends its children too. It is ended after `boundMs`;
 * `graceMs` is for what it needs to start.
 *
 * @returns {{ ended: Promise<object>, end: (why: string) => void }} how it went: what it printed, and why it was ended
 */
export function start(file, args, boundMs, { graceMs = 0 } = {}) {
  const child = spawn(file, args, {
    cwd: at("benches"),
    detached: true,
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outcome = { stdout: "", stderr: "", stopped: undefined };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      outcome[name] = (outcome[name] + text).slice(-20_000);
    });
  }
  const end = (why) => {
    outcome.stopped ??= why;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const onExit = () => end("interrupted");
  process.once("exit", onExit);
  const bound = setTimeout(() => end(`not done after ${boundMs / 1_000} s`), boundMs + graceMs);
  const watch = setInterval(() => {
    if (gigabytesOf(child.pid) > maxGigabytes) end(`more than ${maxGigabytes} GB`);
  }, 250);
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve({ ...outcome, error: error.message }));
    child.on("close", (code, signal) => resolve({ ...outcome, code, signal }));
  }).finally(() => {
    clearTimeout(bound);
    clearInterval(watch);
    process.off("exit", onExit);
  });
  return { ended, end };
}

/** The figures that a cell printed last, or `gaveUp`, or `error`. */
export async function runProcess(file, args, boundMs) {
  const { stdout, stderr, stopped, error, code, signal } = await start(file, args, boundMs).ended;
  if (stopped !== undefined) return { gaveUp: stopped };
  if (/heap out of memory/i.test(stderr)) return { gaveUp: "out of memory" };
  try {
    return JSON.parse(stdout.trimEnd().split("\n").at(-1));
  } catch {
    return { error: error ?? `ended with ${signal ?? code}: ${stderr.trim() || "nothing said"}` };
  }
}
