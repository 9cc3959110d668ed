// Live progress: a bar in a terminal, a few plain lines anywhere else.

import cliProgress from "cli-progress";

/** Starts the clock and shows how far we are; `stop()` ends the display and returns the seconds. */
export function showProgress(total, bursar) {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const display = process.stdout.isTTY ? bar(total, bursar) : lines(total, bursar, seconds);
  let done = 0;
  return {
    pageDone() {
      done += 1;
      display.update(done);
    },
    stop() {
      const taken = seconds();
      display.stop();
      return taken;
    },
  };
}

function bar(total, bursar) {
  const bar = new cliProgress.SingleBar({
    format: "{bar} {value}/{total}  {connections} open, {ramMb} MB, {waiting} waiting",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 15,
  });
  const numbers = () => ({
    connections: bursar.held("connections"),
    ramMb: bursar.held("ramMb"),
    waiting: bursar.waiting,
  });
  bar.start(total, 0, numbers());
  return {
    update: (done) => bar.update(done, numbers()),
    stop: () => bar.stop(),
  };
}

function lines(total, bursar, seconds) {
  const width = String(total).length;
  let next = 0.25;
  return {
    update(done) {
      if (done < total * next) return;
      next = Math.floor((done / total) * 4 + 1) / 4;
      console.log(
        `${String(done).padStart(width)} of ${total} after ${seconds().toFixed(1)} s; ` +
          `${bursar.held("connections")} open, ${bursar.held("ramMb")} MB, ${bursar.waiting} waiting`,
      );
    },
    stop() {},
  };
}
