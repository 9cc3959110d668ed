// The work itself: pieces arrive, claim, wait, hold for a while, and give back, all through one
// Bursar. Whoever wants to watch passes a `watcher` with asked, granted, returned and refused.

import { Bursar, tokenBucket } from "bursar";
import { drawKind, KINDS } from "./kinds.mjs";

const MAX_WAITING = 200;

export class Work {
  #settings;
  #watcher;
  #bursar;
  #arrival;
  #next = 1;
  #running = new Set(); // timers of the work being done
  #over = false;

  constructor(settings, watcher) {
    this.#settings = settings;
    this.#watcher = watcher;
    this.#bursar = new Bursar(
      {
        connections: settings.connections,
        ramMb: settings.ramMb,
        requests: tokenBucket({ rate: settings.rate, burst: settings.burst }),
      },
      { order: settings.order, maxBypass: settings.maxBypass, maxWaiting: MAX_WAITING },
    );
    this.schedule();
  }

  /** The bursar, to be looked at. */
  get bursar() {
    return this.#bursar;
  }

  /** Makes a changed limit hold from now on. What is held above a lower one is paid off by returns. */
  resize(name) {
    const { rate, burst } = this.#settings;
    if (name === "rate" || name === "burst") {
      this.#bursar.resize("requests", tokenBucket({ rate, burst }));
    } else {
      this.#bursar.resize(name, this.#settings[name]);
    }
  }

  /** Sets when the next piece of work arrives; call it again when that has been changed. */
  schedule() {
    clearTimeout(this.#arrival);
    const { arrivals, paused } = this.#settings;
    if (paused || this.#over || arrivals === 0) return;
    const gap = (-Math.log(1 - Math.random()) * 1_000) / arrivals; // chance arrivals, as of customers
    this.#arrival = setTimeout(() => {
      this.arrive();
      this.schedule();
    }, gap);
  }

  /** One more piece of work asks for what it needs. */
  async arrive() {
    const kind = drawKind();
    const piece = { id: this.#next, kind, demand: KINDS[kind].demand(this.#settings.size) };
    this.#next += 1;
    piece.asked = performance.now();
    piece.claim = this.#bursar.enqueue(piece.demand); // a handle: lets the page reorder and cancel
    this.#watcher.asked(piece);

    let lease;
    try {
      lease = await piece.claim.lease;
    } catch (error) {
      if (!this.#over) this.#watcher.refused(piece, error);
      return;
    }
    if (this.#over) {
      lease.release();
      return;
    }
    piece.granted = performance.now();
    this.#watcher.granted(piece);

    const hold = this.#settings.hold * 1_000 * (0.5 + Math.random());
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      piece.returned = performance.now();
      this.#watcher.returned(piece);
      lease.release();
    }, hold);
    this.#running.add(timer);
  }

  /** Ends everything at once: for a start over, which makes a new one of these. */
  end() {
    this.#over = true;
    clearTimeout(this.#arrival);
    for (const timer of this.#running) clearTimeout(timer);
    this.#bursar.shutdown({ drain: false });
  }
}
