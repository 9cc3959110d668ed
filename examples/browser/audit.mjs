// A second opinion on every grant, kept from what the work itself sees and not from what the
// bursar says: units in use against the limits, and a bucket of its own against the rate.

const SLACK = 0.05; // seconds by which a grant may be seen later than the one before it was

export class Audit {
  inUse = { connections: 0, ramMb: 0 };
  maxHeld = { connections: 0, ramMb: 0 };
  violations = 0;
  #limits;
  #level;
  #at = performance.now();
  #turn; // timer

  constructor({ connections, ramMb, rate, burst }) {
    this.#limits = { connections, ramMb, rate, burst };
    this.#level = burst;
  }

  /**
   * A limit was changed. Holding more than a lowered one is no fault; being granted more is. Grants
   * made just before the change may still be on their way here, so until this turn is over, whatever
   * either limit allows is right.
   */
  resized({ connections, ramMb, rate, burst }) {
    const next = { connections, ramMb, rate, burst };
    this.#refill(performance.now());
    for (const [name, limit] of Object.entries(next)) {
      this.#limits[name] = Math.max(this.#limits[name], limit);
    }
    clearTimeout(this.#turn);
    this.#turn = setTimeout(() => {
      this.#refill(performance.now());
      this.#limits = next;
    });
  }

  granted({ demand, granted }) {
    let broken = false;
    for (const name of Object.keys(this.inUse)) {
      if (demand[name] === undefined) continue;
      this.inUse[name] += demand[name];
      this.maxHeld[name] = Math.max(this.maxHeld[name], this.inUse[name]);
      broken ||= this.inUse[name] > this.#limits[name];
    }
    if (demand.requests !== undefined) {
      this.#refill(granted);
      this.#level -= demand.requests;
      broken ||= this.#level < -this.#limits.rate * SLACK - 1e-6;
    }
    if (broken) this.violations += 1;
  }

  returned({ demand }) {
    for (const name of Object.keys(this.inUse)) this.inUse[name] -= demand[name] ?? 0;
  }

  #refill(now) {
    const { rate, burst } = this.#limits;
    this.#level = Math.min(burst, this.#level + (rate * (now - this.#at)) / 1_000);
    this.#at = now;
  }
}
