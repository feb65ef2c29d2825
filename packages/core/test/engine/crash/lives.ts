import type { TestGate } from '@gateramp/testing';
import { Buyer, type Recovery } from './buyer.js';
import { crashAt, type Timing } from './crash-at.js';
import type { Ground } from './ground.js';

/** The actions of an actor until its end; returns the id of the result. */
export interface Lived {
  readonly live: (buyer: Buyer) => Promise<string>;
}

/** The invariants at the end of a story. */
export type Expectation<Story> = (t: TestGate, id: string, story: Story) => Promise<void>;

/** The call at which a process dies. */
export interface Death {
  readonly n: number;
  readonly timing: Timing;
}

/**
 * Runs a story in which a process dies, then its successor, and so on. Returns the calls at which they died, fewer than requested if a
 * process reached the end.
 */
export async function live<Story extends Lived>(
  { t: before, nextStore }: Ground,
  story: Story,
  expectEnd: Expectation<Story>,
  deaths: readonly Death[],
  recovery: Recovery,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const buyer = new Buyer(before, recovery);
  const goOn = async (): Promise<string> => {
    if (calls.length > 0) await buyer.recover();
    return toTheEnd(story, buyer);
  };
  try {
    for (const { n, timing } of deaths) {
      const ports = calls.length === 0 ? before.ports : { ...before.ports, store: await nextStore() };
      const mortal = crashAt(n, timing, ports);
      buyer.t = before.restart(mortal.ports);
      const fate = await Promise.race([goOn().then(() => null), mortal.died]);
      if (fate === null) break;
      calls.push(fate);
    }
    buyer.t = before.restart({ store: await nextStore() });
    await expectEnd(buyer.t, await goOn(), story);
    return calls;
  } catch (error) {
    const ways = deaths.map(({ n, timing }, nth) => `${timing} call ${n} (${calls[nth] ?? 'survived'})`);
    throw new Error(`After dying ${ways.join(', then ')}: ${String(error)}`, { cause: error });
  }
}

/** The calls of a process in a run without a crash, in order. */
export async function callsOf({ t }: Ground, story: Lived, recovery: Recovery): Promise<readonly string[]> {
  const { ports, calls } = crashAt(Infinity, 'before', t.ports);
  await toTheEnd(story, new Buyer(t.restart(ports), recovery));
  return calls;
}

/** Runs everything that the story has caused to its end. */
async function toTheEnd(story: Lived, buyer: Buyer): Promise<string> {
  const id = await story.live(buyer);
  await buyer.workFor('3m');
  return id;
}
