// When a request was granted, never later than in truth.
//
// The server compares this with a request's arrival to learn how late requests may reach it, which
// is what its own count has to allow for (report.mjs says how). A late stamp would hide lateness,
// and the code that a grant wakes may run only after others woken with it. So whatever happens in
// one turn of the event loop is stamped with the first moment anybody asked for in that turn.

/** Milliseconds on the machine's steady clock, which all threads of a process share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

let started;

/** The start of this turn of the event loop, as far as is known; in milliseconds like `now()`. */
export function turnStart() {
  if (started === undefined) {
    started = now();
    setImmediate(() => {
      started = undefined;
    });
  }
  return started;
}
