// limiter: a rate, whose tokens are spent and not given back. It has no slots, so that nothing queues on it here.

import { RateLimiter } from "limiter";

export const isRate = true;

export const notes = {
  one: "a rate: spent, not given back",
  three: "three rates in sequence",
  attempt: "a rate: spent, not given back",
  attemptThree: "three rates in sequence",
};

/** More than anybody spends: a rate nobody waits for. */
const plenty = { tokensPerInterval: 1e12, interval: "second" };

export function make() {
  const limiter = new RateLimiter(plenty);
  let others;

  return {
    async one(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await limiter.removeTokens(1);
        granted++;
      }
      return granted;
    },

    async three(count) {
      others ??= [new RateLimiter(plenty), new RateLimiter(plenty)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await limiter.removeTokens(1);
        await second.removeTokens(1);
        await third.removeTokens(1);
        granted++;
      }
      return granted;
    },

    attempt(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        if (!limiter.tryRemoveTokens(1)) break;
        granted++;
      }
      return granted;
    },

    attemptThree(count) {
      others ??= [new RateLimiter(plenty), new RateLimiter(plenty)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        if (!limiter.tryRemoveTokens(1)) break;
        if (!second.tryRemoveTokens(1)) break;
        if (!third.tryRemoveTokens(1)) break;
        granted++;
      }
      return granted;
    },
  };
}

export function makeRate() {
  return { spend: make().one };
}

export function checkRate() {
  const limiter = new RateLimiter({ tokensPerInterval: 3, interval: "hour" });
  let granted = 0;
  while (granted < 10 && limiter.tryRemoveTokens(1)) granted++;
  return granted === 3;
}
