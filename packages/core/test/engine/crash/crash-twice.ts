import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../tests/depth.js';
import type { Recovery } from './buyer.js';
import type { Timing } from './crash-at.js';
import { firstOf } from './crash-everywhere.js';
import { inMemory } from './ground.js';
import { callsOf, live, type Death, type Expectation, type Lived } from './lives.js';

/** A quick run tests every n-th crash of the recovery, distributed over the ways of crashing. */
const every = runs(64, 1);

/**
 * Crashes the process that recovers a provider step of a crashed process, after each of its calls, both when the step had reached the
 * provider and when it had not.
 */
export function crashTwice<Story extends Lived>(
  stories: Readonly<Record<string, Story>>,
  expectEnd: Expectation<Story>,
): void {
  describe.each(Object.entries(stories))(
    "after a crash in a provider's step of %s, and one in its recovery",
    (_, story) => {
      it.each<[Timing, Recovery]>([
        ['before', 'worker first'],
        ['after', 'worker first'],
        ['before', 'buyer first'],
        ['after', 'buyer first'],
      ])(
        'strands nothing, does nothing twice and ends once: died %s the step, %s',
        async (timing, recovery) => {
          const diedAt = async (...deaths: readonly Death[]): Promise<readonly string[]> => {
            const ground = await inMemory.make();
            try {
              return await live(ground, story, expectEnd, deaths, recovery);
            } finally {
              await ground.close();
            }
          };
          let recoveries = 0;
          for (const first of await stepsOf(story, timing, recovery)) {
            const start = firstOf(every, timing, recovery);
            for (let n = start; (await diedAt(first, { n, timing: 'after' })).length === 2; n += every) recoveries += 1;
          }
          expect(recoveries).toBeGreaterThan(20 / every);
        },
        LIMIT_MS,
      );
    },
  );
}

/** Two to four hundred runs. */
const LIMIT_MS = 120_000;

const STEPS: readonly string[] = ['provider.start', 'provider.confirm', 'provider.refund'];

/** The calls of a run that move money at a provider. */
async function stepsOf(story: Lived, timing: Timing, recovery: Recovery): Promise<readonly Death[]> {
  const calls = await callsOf(await inMemory.make(), story, recovery);
  return calls.flatMap((call, index) => (STEPS.includes(call) ? [{ n: index + 1, timing }] : []));
}
