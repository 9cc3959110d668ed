// What the server sees: its own count of everything that the client promised to limit.

export class Recorder {
  #arrivals = []; // milliseconds, in order
  #inFlight = 0;
  #bytesInFlight = 0;
  #mostInFlight = 0;
  #mostBytesInFlight = 0;
  #longestDelay = 0;

  /** A request for a page of `bytes` arrived at `time`; it was granted no later than at `granted`. */
  arrive(time, granted, bytes) {
    this.#arrivals.push(time);
    this.#inFlight += 1;
    this.#bytesInFlight += bytes;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    this.#mostBytesInFlight = Math.max(this.#mostBytesInFlight, this.#bytesInFlight);
    this.#longestDelay = Math.max(this.#longestDelay, time - granted);
  }

  /** The last byte of such a page was sent, or its caller went away. */
  leave(bytes) {
    this.#inFlight -= 1;
    this.#bytesInFlight -= bytes;
  }

  seen() {
    return {
      requests: this.#arrivals.length,
      inFlight: this.#mostInFlight,
      bytesInFlight: this.#mostBytesInFlight,
      inAnySecond: mostWithin(1_000, this.#arrivals),
      longestDelay: this.#longestDelay,
    };
  }
}

/** The most of the ordered `times` that lie within any window of this length, both ends included. */
export function mostWithin(length, times) {
  let most = 0;
  let first = 0;
  for (let last = 0; last < times.length; last += 1) {
    while (times[last] - times[first] > length) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
