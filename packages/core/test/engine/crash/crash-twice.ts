import { describe, expect, it } from 'vitest';
import type { Recovery } from './buyer.js';
import type { Timing } from './crash-at.js';
import { inMemory } from './ground.js';
import { live, type Death, type Expectation, type Lived } from './lives.js';

/**
 * Enumerates the deaths of the process that takes up a provider's step left by a dead one: after each of its calls, before the step
 * arrived at the provider and after.
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
          for (const first of await stepsOf(diedAt, timing)) {
            for (let n = 1; (await diedAt(first, { n, timing: 'after' })).length === 2; n += 1) recoveries += 1;
          }
          expect(recoveries).toBeGreaterThan(20);
        },
        LIMIT_MS,
      );
    },
  );
}

/** Two to four hundred lives. */
const LIMIT_MS = 120_000;

const STEPS: readonly string[] = ['provider.start', 'provider.confirm', 'provider.refund'];

/** The calls of a life that move money at a provider. */
async function stepsOf(
  diedAt: (...deaths: readonly Death[]) => Promise<readonly string[]>,
  timing: Timing,
): Promise<readonly Death[]> {
  const steps: Death[] = [];
  for (let n = 1; ; n += 1) {
    const [call] = await diedAt({ n, timing });
    if (call === undefined) return steps;
    if (STEPS.includes(call)) steps.push({ n, timing });
  }
}
