// Everything that bursar throws or rejects with, apart from a caller's own abort reason.

import { quoted } from "./text.js";

/** The stable codes of bursar's errors. */
export type BursarErrorCode =
  | "INVALID_DEMAND"
  | "UNKNOWN_RESOURCE"
  | "EXCEEDS_CAPACITY"
  | "INVALID_RESOURCE"
  | "INVALID_OPTION"
  | "CLAIM_TIMEOUT"
  | "CANCELLED"
  | "QUEUE_FULL"
  | "CLOSED"
  | "RESOURCE_REMOVED"
  | "DEADLOCK"
  | "TICKET"
  | "LEASE_EXPIRED"
  | "INVALID_CONFIG"
  | "UNSUPPORTED_CONFIG";

/** What all of bursar's errors are. `code` is stable; the message is for people. */
export class BursarError extends Error {
  readonly code: BursarErrorCode;

  constructor(code: BursarErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** The demand is empty, or the units of a resource are not a whole number from 1 to 2^53 - 1. */
export class InvalidDemandError extends BursarError {
  constructor(message: string) {
    super("INVALID_DEMAND", message);
  }
}

/** No resource of this name. */
export class UnknownResourceError extends BursarError {
  readonly resource: string;

  constructor(resource: string, known: readonly string[]) {
    const list = known.length > 0 ? `there are ${known.map(quoted).join(", ")}` : "there are none";
    super("UNKNOWN_RESOURCE", `no resource is called ${quoted(resource)}: ${list}`);
    this.resource = resource;
  }
}

/** More units than the resource could ever give, now or after a resize. */
export class ExceedsCapacityError extends BursarError {
  readonly resource: string;
  /** Not known of a waiting claim that a resize made impossible. */
  readonly wanted: number | undefined;
  readonly capacity: number;

  constructor(resource: string, wanted: number | undefined, capacity: number) {
    const units = wanted === undefined ? "what was claimed" : wanted;
    super(
      "EXCEEDS_CAPACITY",
      `${units} of ${quoted(resource)} can never be had: its capacity is ${capacity}`,
    );
    this.resource = resource;
    this.wanted = wanted;
    this.capacity = capacity;
  }
}

/** A definition or a change of a resource that cannot be. */
export class InvalidResourceError extends BursarError {
  readonly resource: string;

  constructor(resource: string, message: string) {
    super("INVALID_RESOURCE", resource === "" ? message : `${quoted(resource)}: ${message}`);
    this.resource = resource;
  }
}

/** An option with a value that it does not take. */
export class InvalidOptionError extends BursarError {
  constructor(message: string) {
    super("INVALID_OPTION", message);
  }
}

/** A claim waited as long as its `timeout` allows. It is out of the queue and holds nothing. */
export class ClaimTimeoutError extends BursarError {
  /** The timeout, in milliseconds. */
  readonly timeout: number;

  constructor(timeout: number, demand: string) {
    super("CLAIM_TIMEOUT", `timed out after ${timeout} ms of waiting for ${demand}`);
    this.timeout = timeout;
  }
}

/** A waiting claim was cancelled through its handle. */
export class CancelledError extends BursarError {
  constructor() {
    super("CANCELLED", "the claim was cancelled");
  }
}

/** As many claims are waiting as `maxWaiting` allows. */
export class QueueFullError extends BursarError {
  readonly maxWaiting: number;

  constructor(maxWaiting: number) {
    super("QUEUE_FULL", `${maxWaiting} claims are waiting, and no more may`);
    this.maxWaiting = maxWaiting;
  }
}

/** The bursar was shut down. */
export class ClosedError extends BursarError {
  constructor() {
    super("CLOSED", "the bursar was shut down");
  }
}

/** A resource that a waiting claim wants was removed. */
export class ResourceRemovedError extends BursarError {
  readonly resource: string;

  constructor(resource: string) {
    super("RESOURCE_REMOVED", `${quoted(resource)} was removed while a claim waited for it`);
    this.resource = resource;
  }
}

/** One of the leases that wait for each other in a circle. */
export interface DeadlockLink {
  /** The resource of which it holds what the one before it wants. */
  readonly holds: string;
  /** How many units it holds. */
  readonly held: number;
  /** The resource that a claim under it wants, and the next one holds. */
  readonly wants: string;
  /** How many units are wanted. */
  readonly wanted: number;
}

/** A claim made under a lease would wait for ever: leases would wait for each other in a circle. */
export class DeadlockError extends BursarError {
  /**
   * The first is the lease that the claim was made under, or one above that; the last one's claim wants what the first
   * holds. Empty if the circle came about while the claim waited, because a resource was resized.
   */
  readonly cycle: readonly DeadlockLink[];

  constructor(cycle: readonly DeadlockLink[], resized = "") {
    const links = cycle.map(
      ({ holds, held, wants, wanted }, place) =>
        `${place === 0 ? "its lease" : "another"} holds ${held} of ${quoted(holds)} and wants ${wanted} of ${quoted(wants)}`,
    );
    super(
      "DEADLOCK",
      cycle.length > 0
        ? `the claim would wait for ever: ${links.join(", ")}`
        : `since ${quoted(resized)} was resized, the claim and others wait for each other for ever`,
    );
    this.cycle = cycle;
  }
}

/** A lease that has ended, or does not have what is to be given back. */
export class TicketError extends BursarError {
  constructor(message: string) {
    super("TICKET", message);
  }
}

/** A lease's `ttl` has passed: its units were taken back. The reason of `lease.signal`. */
export class LeaseExpiredError extends BursarError {
  /** The time to live, in milliseconds. */
  readonly ttl: number;

  constructor(ttl: number) {
    super("LEASE_EXPIRED", `the lease's time to live of ${ttl} ms has passed`);
    this.ttl = ttl;
  }
}
