// A bursar from a configuration.

import { Bursar, BursarError, ManualClock } from "bursar";
import { ConfigError, fromConfig, parseConfig, UnsupportedConfigError } from "bursar/config";
import { describe, expect, test } from "vitest";

function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}

describe("fromConfig", () => {
  test("makes a bursar of an object, with typed names", () => {
    const bursar = fromConfig({
      resources: {
        gpu: { kind: "semaphore", permits: 4 },
        api: { kind: "token_bucket", rate: 50, burst: 100 },
        mail: { kind: "at_most", limit: 750, per_ms: 3_600_000, burst: 10 },
        even: { kind: "at_most", limit: 2, per_ms: 1000 },
      },
    });
    expect(bursar).toBeInstanceOf(Bursar);
    // @ts-expect-error no such resource
    expect(() => bursar.tryClaim({ gpus: 1 })).toThrow("gpus");
    expect((["gpu", "api", "mail", "even"] as const).map((name) => bursar.capacity(name))).toEqual([
      4, 100, 10, 1,
    ]);
  });

  test("makes a bursar of JSON text, with a byte order mark or not", () => {
    const text = '{ "resources": { "gpu": { "kind": "semaphore", "permits": 4 } } }';
    for (const json of [text, `\uFEFF${text}`]) expect(fromConfig(json).capacity("gpu")).toBe(4);
  });

  test("takes the settings of the file and the options of the program", async () => {
    const clock = new ManualClock();
    const resources = { api: { kind: "token_bucket", rate: 1, burst: 1 } } as const;
    const bursar = fromConfig({ order: "newest", max_waiting: 1, resources }, { clock });
    expect(bursar.snapshot().order).toBe("newest");
    bursar.tryClaim({ api: 1 });
    const waiting = bursar.claim({ api: 1 });
    await expect(bursar.claim({ api: 1 })).rejects.toMatchObject({ code: "QUEUE_FULL" });
    clock.advance(1_000);
    await waiting;
  });

  test("takes a bound on bypassing, and none", () => {
    const resources = { gpu: { kind: "semaphore", permits: 4 } } as const;
    for (const max_bypass of [0, 5, "unlimited"] as const) fromConfig({ max_bypass, resources });
  });

  test("refuses what a bursar has not, by name", () => {
    const gpu = { kind: "semaphore", permits: 4 } as const;
    const cases = [
      [{ pools: { render: {} } }, "pool", "render"],
      [{ resources: { gpu: { ...gpu, shard: "left" } } }, "shard", "left"],
      [{ resources: { gpu: { ...gpu, family: true } } }, "family", "gpu"],
    ] as const;
    for (const [config, part, partName] of cases) {
      const error = refusal(() => fromConfig(config));
      expect(error).toBeInstanceOf(UnsupportedConfigError);
      expect(error).toMatchObject({ code: "UNSUPPORTED_CONFIG", part, partName });
    }
  });
});

describe("a configuration with mistakes", () => {
  test("is refused with all of them", () => {
    const text = '{ "resources": { "gpu": { "kind": "semaphore", "permit": 4 }, "db": 5 } }';
    const error = refusal(() => fromConfig(text)) as ConfigError;
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toBeInstanceOf(BursarError);
    expect(error.code).toBe("INVALID_CONFIG");
    expect(error.mistakes.map(({ path }) => path)).toEqual(["resources.db", "resources.gpu.permit"]);
    expect(error.message).toBe(
      "the configuration has 2 mistakes:\n" +
        "  resources.db is 5; it must be an object\n" +
        '  resources.gpu.permit: no such key; did you mean "permits"?',
    );
  });

  test("is refused when its text is no JSON", () => {
    const error = refusal(() => fromConfig("{")) as ConfigError;
    expect(error.mistakes).toHaveLength(1);
    expect(error.message).toContain("this is not JSON: ");
  });

  test.each([undefined, null, 5, [], () => {}, Symbol("config"), 5n])(
    "is refused when it is no object: %s",
    (config) => {
      expect(refusal(() => parseConfig(config as never))).toBeInstanceOf(ConfigError);
    },
  );

  test("does not compile where TypeScript can see it", () => {
    // @ts-expect-error permits are a number
    expect(() => parseConfig({ resources: { gpu: { kind: "semaphore", permits: "4" } } })).toThrow(
      ConfigError,
    );
    // @ts-expect-error a key that there is not
    expect(() => parseConfig({ pools: { render: { concurency: 4 } } })).toThrow(ConfigError);
  });

  test("may have half a character for a name", () => {
    const error = refusal(() => parseConfig({ pools: { "\ud800": {} } })) as ConfigError;
    expect(error.message).toContain("the name must be of whole characters");
  });

  test("is read as it stands: what is undefined is left out, and no name is special", () => {
    const proto = '{ "resources": { "__proto__": { "kind": "semaphore", "permits": 3 } } }';
    expect(fromConfig(proto).capacity("__proto__")).toBe(3);
    const gpu = { kind: "semaphore", permits: 4, shard: undefined } as const;
    expect(fromConfig({ order: undefined, resources: { gpu } }).capacity("gpu")).toBe(4);
  });
});
