// Reading an object while collecting what is wrong with it: no mistake hides another. The same as
// src/config/reader.rs.

import { quoted, shown } from "../text.js";
import type { ConfigMistake } from "./errors.js";
import { nearest } from "./similar.js";

/** A range of numbers, and how messages say it. */
export type Range = readonly [least: number, most: number, right: string];

/** An object, and where it is. */
export interface Section {
  readonly path: string;
  readonly entries: ReadonlyMap<string, unknown>;
}

/** `"a", "b" or "c"`. */
function choice(names: readonly string[], last: string): string {
  const list = names.map(quoted);
  return `${list.slice(0, -1).join(", ")} ${last} ${list.at(-1)}`;
}

/** A path with one key more. */
export function pathOf(parent: string, key: string): string {
  const name = /^[A-Za-z0-9_$-]+$/.test(key) ? key : quoted(key);
  return parent === "" ? name : `${parent}.${name}`;
}

export class Reader {
  #mistakes: (ConfigMistake & { missing?: boolean })[] = [];
  /** Paths of which there is something similar. */
  #meant = new Set<string>();

  /** All that was noted; but what is there under a mistyped name is not missing as well. */
  finish(): ConfigMistake[] {
    const told = this.#mistakes.filter(({ path, missing }) => !(missing && this.#meant.has(path)));
    return told.map(({ path, message }) => ({ path, message }));
  }

  note(path: string, message: string): void {
    this.#mistakes.push({ path, message });
  }

  wrong(path: string, value: unknown, right: string): void {
    this.note(path, `${path || "the configuration"} is ${shown(value)}; it must be ${right}`);
  }

  /** The object at a path. What is `undefined` counts as left out. */
  section(path: string, value: unknown): Section | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.wrong(path, value, "an object");
      return undefined;
    }
    return { path, entries: new Map(Object.entries(value).filter(([, part]) => part !== undefined)) };
  }

  /** Notes keys that are none. `owner` is what the known ones are of: "a semaphore". */
  keys({ path, entries }: Section, owner: string, known: readonly string[]): void {
    for (const key of entries.keys()) {
      if (known.includes(key)) continue;
      const near = nearest(key, known);
      if (near !== undefined) this.#meant.add(pathOf(path, near));
      const advice =
        near === undefined ? `${owner} has ${choice(known, "and")}` : `did you mean ${quoted(near)}?`;
      const at = pathOf(path, key);
      this.note(at, `${at}: no such key; ${advice}`);
    }
  }

  /**
   * The value of a key if it is right. What is left out is a mistake where it is `required`, and what is there but
   * wrong always.
   */
  value<T>(
    section: Section,
    key: string,
    required: boolean,
    ok: (value: unknown) => value is T,
    right: string,
  ): T | undefined {
    const path = pathOf(section.path, key);
    const value = section.entries.get(key);
    if (value === undefined) {
      const message = `${path} is missing; it must be ${right}`;
      if (required) this.#mistakes.push({ path, message, missing: true });
      return undefined;
    }
    if (ok(value)) return value;
    this.wrong(path, value, right);
    return undefined;
  }

  whole(section: Section, key: string, required: boolean, [least, most, right]: Range): number | undefined {
    const ok = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
    return this.value(section, key, required, ok, right);
  }

  number(section: Section, key: string, [least, most, right]: Range): number | undefined {
    const ok = (value: unknown): value is number =>
      typeof value === "number" && value >= least && value <= most;
    return this.value(section, key, true, ok, right);
  }

  flag(section: Section, key: string): boolean | undefined {
    const ok = (value: unknown): value is boolean => typeof value === "boolean";
    return this.value(section, key, false, ok, "true or false");
  }

  name(section: Section, key: string): string | undefined {
    const ok = (value: unknown): value is string => typeof value === "string" && value !== "";
    return this.value(section, key, false, ok, "a name, not empty");
  }

  word<T extends string>(
    section: Section,
    key: string,
    required: boolean,
    words: readonly T[],
  ): T | undefined {
    const ok = (value: unknown): value is T => words.includes(value as T);
    return this.value(section, key, required, ok, choice(words, "or"));
  }
}
