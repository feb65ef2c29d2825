import { describe, expect, it } from 'vitest';
import type { Recovery } from './buyer.js';
import type { Timing } from './crash-at.js';
import { inMemory, type Ground, type Grounds } from './ground.js';
import { callsOf, live, type Expectation, type Lived } from './lives.js';

/** Runs each story once per call of its process, with a crash at that call. */
export function crashEverywhere<Story extends Lived>(
  stories: Readonly<Record<string, Story>>,
  expectEnd: Expectation<Story>,
  { make, every }: Grounds = inMemory,
): void {
  describe.each(Object.entries(stories))('after a crash between any two awaits of %s', (_, story) => {
    let length: Promise<number> | null = null;
    it.each<[Timing, Recovery]>([
      ['before', 'worker first'],
      ['after', 'worker first'],
      ['before', 'buyer first'],
      ['after', 'buyer first'],
    ])('strands nothing, does nothing twice and ends once: died %s the call, %s', async (timing, recovery) => {
      const isCrashed = async (n: number): Promise<boolean> => {
        const ground = await make();
        try {
          return await crashedAt(ground, story, expectEnd, n, timing, recovery);
        } finally {
          await ground.close();
        }
      };
      length ??= lengthOf(make, story);
      const calls = await length;
      let crashes = 0;
      for (let n = firstOf(every, timing, recovery); n <= calls && (await isCrashed(n)); n += every) crashes = n;
      expect(crashes).toBeGreaterThan(Math.max(0, 31 - every));
    });
  });
}

/** Number of calls in a run without a crash. */
async function lengthOf(make: Grounds['make'], story: Lived): Promise<number> {
  const ground = await make();
  try {
    return (await callsOf(ground, story, 'worker first')).length;
  } finally {
    await ground.close();
  }
}

/** If only every n-th call is tested, distributes the calls over the ways of crashing. */
export function firstOf(every: number, timing: Timing, recovery: string): number {
  return 1 + Math.floor((every * ((timing === 'before' ? 0 : 2) + (recovery === 'worker first' ? 0 : 1))) / 4);
}

/** One run with a crash at the n-th call; false if it ended before. */
async function crashedAt<Story extends Lived>(
  ground: Ground,
  story: Story,
  expectEnd: Expectation<Story>,
  n: number,
  timing: Timing,
  recovery: Recovery,
): Promise<boolean> {
  return (await live(ground, story, expectEnd, [{ n, timing }], recovery)).length === 1;
}
