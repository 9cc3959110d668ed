// Values as they stand in messages.

/** A name as it stands in messages. */
export function quoted(name: string): string {
  return JSON.stringify(name);
}

/** A value as it stands in messages: short, and no trap whatever it is. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoted(value.length > 40 ? `${value.slice(0, 40)}...` : value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "an array" : "an object";
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    default:
      return String(value);
  }
}
