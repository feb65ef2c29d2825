import type { Gate, GateEvent } from '@gateramp/sdk-node';
import { describe, expect, it } from 'vitest';
import { advance, endOfFeed, poll, shorten, type Place } from '../src/listen/follow.js';

const START: Place = { anchor: null, seen: [], sequences: {} };

const event = (id: string, at: number, session = 's1', sequence: number | null = null): GateEvent => ({
  id,
  type: 'gate_session.created',
  created_at: at,
  sequence,
  livemode: false,
  object: 'event',
  // The only members of an event's data that a follower reads.
  data: { object: 'gate_session', id: session } as never,
});

/** The feed of a service: sorted, newest first, and ascending from an event. */
function serviceWith(events: readonly GateEvent[]): Gate {
  const list = async function* ({ ending_before: before }: { ending_before?: string }): AsyncGenerator<GateEvent> {
    if (before === undefined) yield* [...events].reverse();
    else yield* events.slice(events.findIndex(({ id }) => id === before) + 1);
  };
  // The follower calls nothing else.
  return { events: { list } } as unknown as Gate;
}

async function follow(place: Place, events: readonly GateEvent[], isQuiet = false): Promise<[string[], Place]> {
  const found = await poll(serviceWith(events), place, { isQuiet, signal: new AbortController().signal });
  const after = found.events.reduce(advance, place);
  return [found.events.map(({ id }) => id), shorten(after, found.window, isQuiet)];
}

describe('following the feed', () => {
  it('finds each event once', async () => {
    const [first, place] = await follow(START, [event('a', 1), event('b', 2)]);
    const [second] = await follow(place, [event('a', 1), event('b', 2), event('c', 3)]);
    expect([first, second]).toEqual([['a', 'b'], ['c']]);
  });

  it('finds one that was committed late and is listed behind what is known', async () => {
    const [, place] = await follow(START, [event('a', 100), event('c', 102)]);
    const [found] = await follow(place, [event('a', 100), event('b', 101), event('c', 102)]);
    expect(found).toEqual(['b']);
  });

  it('brings the events of a session into the order of their sequence', async () => {
    const [found] = await follow(START, [event('b', 1, 's1', 2), event('x', 1, 's2', 1), event('a', 1, 's1', 1)]);
    expect(found).toEqual(['x', 'a', 'b']);
  });

  it('lets one wait whose forerunner has not appeared, but not for ever', async () => {
    const [, place] = await follow(START, [event('a', 1, 's1', 1)]);
    const gap = [event('a', 1, 's1', 1), event('c', 3, 's1', 3)];
    const [waiting, later] = await follow(place, gap);
    expect(waiting).toEqual([]);
    const whole = [event('a', 1, 's1', 1), event('b', 2, 's1', 2), event('c', 3, 's1', 3)];
    expect((await follow(later, whole))[0]).toEqual(['b', 'c']);
    expect((await follow(later, gap, true))[0]).toEqual(['c']);
  });

  it('looks again at half a minute and not at more', async () => {
    const events = [event('a', 0), event('b', 40), event('c', 60), event('d', 71)];
    const [, place] = await follow(START, events);
    expect(place).toMatchObject({ anchor: 'b', seen: ['c', 'd'] });
    const [, quiet] = await follow(place, events, true);
    expect(quiet).toMatchObject({ anchor: 'd', seen: [] });
  });

  it('never looks past what it has not forwarded', async () => {
    const events = [event('a', 0, 's1', 1), event('b', 100, 's1', 3), event('c', 200, 's2', 1)];
    const [, place] = await follow({ ...START, sequences: { s1: 1 }, seen: ['a'] }, events);
    expect(place).toMatchObject({ anchor: 'a', seen: ['c'] });
  });

  it('begins at the end, and knows what is there', async () => {
    const events = [event('a', 0), event('b', 100), event('c', 120)];
    expect(await endOfFeed(serviceWith(events))).toMatchObject({ anchor: 'a', seen: ['c', 'b'] });
    expect(await endOfFeed(serviceWith([]))).toEqual(START);
  });
});
