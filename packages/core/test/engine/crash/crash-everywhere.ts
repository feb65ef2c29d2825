import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { Buyer, type Recovery } from './buyer.js';
import { crashAt, type Timing } from './crash-at.js';

/** What somebody does until it has ended; answers the id of what came of it. */
interface Told {
  readonly live: (buyer: Buyer) => Promise<string>;
}

/** What must hold at the end of a story. */
type Expectation<Story> = (t: TestGate, id: string, story: Story) => Promise<void>;

/** Enumerates the deaths of a process in each story, whichever of its calls they come at. */
export function crashEverywhere<Story extends Told>(
  stories: Readonly<Record<string, Story>>,
  expectEnd: Expectation<Story>,
): void {
  describe.each(Object.entries(stories))('after a crash between any two awaits of %s', (_, story) => {
    it.each<[Timing, Recovery]>([
      ['before', 'worker first'],
      ['after', 'worker first'],
      ['before', 'buyer first'],
      ['after', 'buyer first'],
    ])('strands nothing, does nothing twice and ends once: died %s the call, %s', async (timing, recovery) => {
      let crashes = 0;
      for (let n = 1; await crashedAt(story, expectEnd, n, timing, recovery); n += 1) crashes = n;
      expect(crashes).toBeGreaterThan(30);
    });
  });
}

const SURVIVED = 'survived';

/** One life with a crash at the n-th call; false when it ended before there was an n-th call. */
async function crashedAt<Story extends Told>(
  story: Story,
  expectEnd: Expectation<Story>,
  n: number,
  timing: Timing,
  recovery: Recovery,
): Promise<boolean> {
  const before = await createTestGate();
  const mortal = crashAt(n, timing, before.ports);
  const buyer = new Buyer(before.restart(mortal.ports), recovery);
  const fate = await Promise.race([toTheEnd(story, buyer).then(() => SURVIVED), mortal.died]);
  try {
    buyer.t = before.restart();
    if (fate !== SURVIVED) await buyer.recover();
    await expectEnd(buyer.t, await toTheEnd(story, buyer), story);
    return fate !== SURVIVED;
  } catch (error) {
    throw new Error(`After dying ${timing} call ${n} (${fate}): ${String(error)}`, { cause: error });
  }
}

/** Long enough for everything that the story has caused to be done. */
async function toTheEnd(story: Told, buyer: Buyer): Promise<string> {
  const id = await story.live(buyer);
  await buyer.workFor('3m');
  return id;
}
