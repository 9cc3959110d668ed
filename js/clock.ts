// Where a bursar has its time from.

/** A source of time and timers: milliseconds, monotonic. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/**
 * The runtime's monotonic clock. Everything is looked up at each call, so that fake timers which replace the
 * globals are seen. When they come or go the reading jumps; time then goes on from where it was, by a whole number
 * of milliseconds, so that timers set to whole ones still meet it.
 */
class SystemClock implements Clock {
  #source: unknown;
  #last = 0;
  #offset = 0;

  now(): number {
    const source = performance.now;
    const reading = performance.now();
    if (source !== this.#source) {
      if (this.#source !== undefined) this.#offset = Math.ceil(this.#last - reading);
      this.#source = source;
    }
    this.#last = Math.max(this.#last, reading + this.#offset);
    return this.#last;
  }

  setTimeout(callback: () => void, delay: number): unknown {
    return setTimeout(callback, delay);
  }

  clearTimeout(timer: unknown): void {
    clearTimeout(timer as ReturnType<typeof setTimeout>);
  }
}

let system: Clock | undefined;

export function systemClock(): Clock {
  system ??= new SystemClock();
  return system;
}

interface Alarm {
  at: number;
  callback: () => void;
}

/**
 * A clock that moves when a test says so.
 *
 * @example
 * const clock = new ManualClock();
 * const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
 * const first = bursar.tryClaim({ api: 1 });
 * const second = bursar.claim({ api: 1 });
 * clock.advance(1_000);
 * await second;
 */
export class ManualClock implements Clock {
  #now = 0;
  #alarms: Alarm[] = [];

  now(): number {
    return this.#now;
  }

  /** Moves on by some milliseconds; timers that fall due on the way go off in their order, each at its moment. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) throw new RangeError(`a clock cannot advance by ${milliseconds} ms`);
    const end = this.#now + milliseconds;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.clearTimeout(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }

  setTimeout(callback: () => void, delay: number): unknown {
    const alarm = { at: this.#now + delay, callback };
    this.#alarms.push(alarm);
    return alarm;
  }

  clearTimeout(timer: unknown): void {
    this.#alarms = this.#alarms.filter((alarm) => alarm !== timer);
  }

  #next(end: number): Alarm | undefined {
    const due = this.#alarms.filter((alarm) => alarm.at <= end);
    return due.reduce<Alarm | undefined>(
      (first, alarm) => (first && first.at <= alarm.at ? first : alarm),
      undefined,
    );
  }
}
