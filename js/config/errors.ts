// What is wrong with a configuration, or with making something of it.

import { BursarError } from "../index.js";

/** One mistake in a configuration. */
export interface ConfigMistake {
  /** Where it is, in keys: `resources.api.rate`. Empty for what concerns the whole. */
  readonly path: string;
  /** What is wrong and what would be right, with the path. */
  readonly message: string;
}

/** A configuration with mistakes in it. The message lists them all. */
export class ConfigError extends BursarError {
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    const count = mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`;
    const list = mistakes.map(({ message }) => `\n  ${message}`).join("");
    super("INVALID_CONFIG", `the configuration has ${count}:${list}`);
    this.mistakes = mistakes;
  }
}

/** The configuration is right in itself, but has something that a bursar has not. */
export class UnsupportedConfigError extends BursarError {
  readonly part: "pool" | "shard" | "family";
  /** Its name. */
  readonly partName: string;

  constructor(part: "pool" | "shard" | "family", name: string) {
    const what = `the ${part} ${JSON.stringify(name)}`;
    super("UNSUPPORTED_CONFIG", `the configuration has ${what}, which a bursar cannot have`);
    this.part = part;
    this.partName = name;
  }
}
