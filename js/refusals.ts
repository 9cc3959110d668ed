// The ledger's refusals as errors. src/js/config.rs says what it reports.

import {
  type BursarError,
  ClosedError,
  DeadlockError,
  type DeadlockLink,
  ExceedsCapacityError,
  InvalidResourceError,
  QueueFullError,
  TicketError,
} from "./errors.js";
import { quoted } from "./text.js";

/** `about` names the resource of a call whose report does not. */
export function refusalOf(
  report: number[],
  names: readonly (string | undefined)[],
  about: string,
): BursarError {
  const [code, id, wanted, has] = report as [number, number, number, number];
  const name = names[id] ?? about;
  switch (code) {
    case 5:
      return new ExceedsCapacityError(name, wanted, has);
    case 6:
      return new QueueFullError(has);
    case 7:
      return new ClosedError();
    case 8:
      return new QueueFullError(2 ** 24);
    case 9:
    case 10:
    case 11:
      return new TicketError("the lease has ended");
    case 13:
      return new TicketError(`${wanted} of ${quoted(name)}, but the lease has ${has} of it`);
    case 14:
      return new TicketError(`${quoted(name)} is a rate: its units are settled, not given back`);
    case 15:
      return new TicketError(`${quoted(name)} is a semaphore: its units are given back, not settled`);
    case 16:
      return new DeadlockError(linksOf(report.slice(4), names));
    case 23:
      return new InvalidResourceError(name, "a resource keeps its kind; remove it and define it anew");
    case 24:
      return new InvalidResourceError(name, "it is a semaphore, which has no level; only a token bucket has");
    case 25:
      return new InvalidResourceError(name, `a level of ${wanted} is above the burst of ${has}`);
    default:
      // What is checked before it gets to the ledger.
      return new InvalidResourceError(name, `the ledger refuses it (${code})`);
  }
}

/** Of each link the resource and units that are held, and those that are wanted. */
function linksOf(numbers: number[], names: readonly (string | undefined)[]): DeadlockLink[] {
  const links: DeadlockLink[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const [held, wanted] = [numbers[at + 1]!, numbers[at + 3]!];
    links.push({ holds: names[numbers[at]!] ?? "?", held, wants: names[numbers[at + 2]!] ?? "?", wanted });
  }
  return links;
}
