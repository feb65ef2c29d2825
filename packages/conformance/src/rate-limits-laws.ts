import assert from 'node:assert/strict';
import { isBlocked, type RateRule, type RateState } from '@gateramp/core/domain';
import type { RateLimits } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The rate limits under test, and their clock. */
export interface RateLimitsSubject {
  create(): Promise<RateLimitsOnTrial>;
}

/** New limits, and a way to let their time pass. */
export interface RateLimitsOnTrial {
  readonly limits: RateLimits;
  /** Lets the adapter's time pass; virtual if possible. */
  readonly elapse: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Windows that no law waits for are long, or a pause of the machine would end them. */
const WINDOW_MS = 600_000;
const RULE: RateRule = { name: 'short', limit: 3, windowMs: WINDOW_MS };
const LONGER: RateRule = { name: 'medium', limit: 10, windowMs: 2 * WINDOW_MS };
const ENDING: RateRule = { ...RULE, windowMs: 4_000 };

const TRIES_MAX = 10;

/** A small part of a window. */
const STEP_MS = 500;

async function hit(limits: RateLimits, key: string, ...rules: readonly RateRule[]): Promise<readonly RateState[]> {
  return limits.hit(key, rules);
}

function used(states: readonly RateState[]): readonly number[] {
  return states.map((state) => state.used);
}

/** Round trips of a remote adapter shorten a window. */
function resetsIn(state: RateState | undefined, ms: number): void {
  assert.ok(
    state !== undefined && state.resetMs <= ms && state.resetMs > ms / 2,
    `resets in ${state?.resetMs}, not ${ms}`,
  );
}

/** The laws of `RateLimits`. */
export const rateLimitsLaws: readonly Law<RateLimitsSubject>[] = lawsOnTrial<RateLimitsOnTrial>('Rate limits', {
  async 'counts a hit in every rule and returns results in the order of the rules'({ limits }) {
    const states = await hit(limits, 'ip', LONGER, RULE);
    assert.deepEqual(
      states.map((state) => state.rule),
      [LONGER, RULE],
    );
    assert.deepEqual(used(states), [1, 1]);
    assert.deepEqual(used(await hit(limits, 'ip', RULE)), [2]);
    assert.deepEqual(used(await limits.peek('ip', [RULE, LONGER])), [2, 1]);
  },

  async 'starts a window with its first hit, for its full length'({ limits, elapse }) {
    await elapse(STEP_MS);
    resetsIn((await hit(limits, 'ip', RULE))[0], WINDOW_MS);
    await elapse(STEP_MS);
    resetsIn((await hit(limits, 'ip', RULE))[0], WINDOW_MS - STEP_MS);
  },

  async 'starts a new window only when the current one has ended'({ limits, elapse }) {
    let key = 'ip';
    for (let tries = 1; ; tries += 1) {
      const began = performance.now();
      await hit(limits, key, ENDING);
      await elapse(ENDING.windowMs / 2);
      const later = used(await hit(limits, key, ENDING));
      // A machine that was paused for the rest of the window says nothing of it.
      if (later[0] !== 2 && performance.now() - began >= ENDING.windowMs && tries < TRIES_MAX) key = `ip, try ${tries}`;
      else {
        assert.deepEqual(later, [2], 'a later hit extends no window and starts none');
        break;
      }
    }
    await elapse(ENDING.windowMs / 2);
    const [state] = await hit(limits, key, ENDING);
    assert.equal(state?.used, 1);
    resetsIn(state, ENDING.windowMs);
  },

  async 'allows exactly the limit and blocks from the next hit on'({ limits }) {
    const blocked: boolean[] = [];
    for (let nth = 0; nth < RULE.limit + 2; nth += 1) {
      blocked.push(...(await hit(limits, 'ip', RULE)).map(isBlocked));
    }
    assert.deepEqual(blocked, [false, false, false, true, true]);
  },

  async 'counts a blocked hit in every rule, including those that did not block it'({ limits }) {
    for (let nth = 0; nth < 5; nth += 1) await hit(limits, 'ip', RULE, LONGER);
    assert.deepEqual(used(await limits.peek('ip', [RULE, LONGER])), [5, 5]);
  },

  async 'keeps the windows of different keys separate'({ limits }) {
    const keys = ['a', 'b', 'a:short', 'a\nshort', 'short', 'A', ' a', 'a ', '::1', '::1:short', ''];
    for (const key of keys) assert.deepEqual(used(await hit(limits, key, RULE)), [1], JSON.stringify(key));
    await hit(limits, 'a', RULE);
    for (const key of keys.slice(1)) assert.deepEqual(used(await limits.peek(key, [RULE])), [1], JSON.stringify(key));
  },

  async 'counts nothing when peeking'({ limits }) {
    for (let nth = 0; nth < 3; nth += 1) {
      assert.deepEqual(await limits.peek('ip', [RULE]), [{ rule: RULE, used: 0, resetMs: WINDOW_MS }]);
    }
    assert.deepEqual(used(await hit(limits, 'ip', RULE)), [1]);
    assert.deepEqual(used(await limits.peek('ip', [RULE])), [1]);
  },

  async 'starts no window by peeking'({ limits, elapse }) {
    await limits.peek('ip', [RULE]);
    await elapse(STEP_MS);
    resetsIn((await hit(limits, 'ip', RULE))[0], WINDOW_MS);
  },

  async 'ignores an ended window when peeking'({ limits, elapse }) {
    await hit(limits, 'ip', ENDING);
    await elapse(ENDING.windowMs);
    assert.deepEqual(used(await limits.peek('ip', [ENDING])), [0]);
  },

  async 'loses no hit under concurrency'({ limits }) {
    const counts = await Promise.all(Array.from({ length: 40 }, async () => used(await hit(limits, 'ip', LONGER))[0]));
    const inOrder = counts.toSorted((a, b) => (a ?? 0) - (b ?? 0));
    assert.deepEqual(
      inOrder,
      inOrder.map((_, nth) => nth + 1),
    );
  },

  async 'returns no result without rules'({ limits }) {
    assert.deepEqual(await hit(limits, 'ip'), []);
  },
});
