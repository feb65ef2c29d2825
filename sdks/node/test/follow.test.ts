import { describe, expect, it } from 'vitest';

import {
  APIConnectionError,
  Gate,
  NotFoundError,
  type FollowOptions,
  type GateError,
  type GateEvent,
} from '../src/index.js';

/** A service with a list of events, newest last, whose next reads may fail. */
class Feed {
  readonly events: string[] = [];
  /** The answers of the next reads; null: the page that is asked for. */
  readonly failures: (() => Response | Error | null)[] = [];
  readonly asked: URLSearchParams[] = [];

  readonly gate = new Gate('sk_test_follow', {
    baseUrl: 'http://127.0.0.1:9',
    maxRetries: 0,
    fetch: async (input, init) => {
      const failure = this.failures.shift()?.();
      if (failure instanceof Error) throw failure;
      return failure ?? this.page(new URL(new Request(input, init).url).searchParams);
    },
  });

  add(...ids: readonly string[]): void {
    this.events.push(...ids);
  }

  follow(options: FollowOptions = {}): AsyncGenerator<GateEvent, void, undefined> {
    return this.gate.events.follow({ intervalMs: 1, ...options });
  }

  private page(query: URLSearchParams): Response {
    this.asked.push(query);
    const limit = Math.min(Number(query.get('limit') ?? 10), 3);
    const [before, after] = [query.get('ending_before'), query.get('starting_after')];
    if (before !== null && !this.events.includes(before)) return refusal(404, 'event_not_found');
    const createdBefore = Date.parse(query.get('created_before') ?? '9999-01-01') / 1000;
    const rest =
      before !== null
        ? this.events.slice(this.events.indexOf(before) + 1)
        : after !== null
          ? this.events.slice(0, this.events.indexOf(after)).reverse()
          : [...this.events].reverse();
    const found = rest.filter((id) => createdAt(id) < createdBefore);
    const page = found.slice(0, limit);
    if (before !== null) page.reverse();
    const data = page.map((id) => ({ id, object: 'event', type: 'webhook.test', created_at: createdAt(id), data: {} }));
    return Response.json({ object: 'list', data, has_more: found.length > limit, url: '/v1/events' });
  }
}

/** In bursts of seven a day, so that one page does not hold all events of a second. */
const createdAt = (id: string): number => 1_790_000_000 + Math.floor(Number(id) / 7) * 86_400;

const refusal = (status: number, code: string): Response =>
  Response.json({ type: 'x', code, message: 'No.', request_id: 'r', doc_url: null, statusCode: status }, { status });

async function take(events: AsyncGenerator<GateEvent>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 1) {
    const { value, done } = await events.next();
    if (done === true) break;
    ids.push(value.id);
  }
  return ids;
}

describe('following the events', () => {
  it('yields those after the given one in order, over several pages, and then new ones', async () => {
    const feed = new Feed();
    feed.add('1', '2', '3', '4', '5', '6', '7', '8');
    const events = feed.follow({ after: '1' });
    expect(await take(events, 7)).toEqual(['2', '3', '4', '5', '6', '7', '8']);
    const next = events.next();
    setTimeout(() => feed.add('9'), 5);
    expect((await next).value).toMatchObject({ id: '9' });
    await events.return();
  });

  it('begins with the next new event by default, and with the first one after null', async () => {
    const feed = new Feed();
    feed.add('1', '2', '3', '4');
    expect(await take(feed.follow({ after: null }), 4)).toEqual(['1', '2', '3', '4']);
    const events = feed.follow();
    const next = events.next();
    while (!feed.asked.some((query) => query.get('ending_before') === '4')) await new Promise(setImmediate);
    feed.add('5');
    expect((await next).value).toMatchObject({ id: '5' });
  });

  it('after null yields the first events of a long list without reading all of it before', async () => {
    const feed = new Feed();
    const ids = Array.from({ length: 2_000 }, (_, nth) => String(nth + 1));
    feed.add(...ids);
    const events = feed.follow({ after: null });
    const first = await take(events, 1);
    expect(feed.asked.length).toBeLessThan(40);
    expect([...first, ...(await take(events, 1_999))]).toEqual(ids);
  });

  it('after null yields each event once, whichever of its reads fails', async () => {
    for (let reads = 0; reads < 25; reads += 1) {
      const feed = new Feed();
      feed.add(...Array.from({ length: 40 }, (_, nth) => String(nth + 1)));
      feed.failures.push(...Array.from({ length: reads }, () => () => null), () => new TypeError('fetch failed'));
      const events = feed.follow({ after: null });
      expect(await take(events, 40)).toEqual(feed.events);
    }
  });

  it('also if there is no event yet', async () => {
    const feed = new Feed();
    const events = feed.follow();
    const next = events.next();
    while (feed.asked.length < 3) await new Promise(setImmediate);
    feed.add('1', '2');
    expect((await next).value).toMatchObject({ id: '1' });
    expect(await take(events, 1)).toEqual(['2']);
  });

  it('waits for errors that may pass, says so once, and misses nothing', async () => {
    const feed = new Feed();
    feed.add('1', '2', '3', '4', '5');
    const said: (GateError | null)[] = [];
    const events = feed.follow({ after: '1', onAway: (error) => said.push(error) });
    expect(await take(events, 2)).toEqual(['2', '3']);
    // Between two pages.
    feed.failures.push(
      () => new TypeError('fetch failed'),
      () => refusal(503, 'try_again'),
      () => refusal(429, 'rate_limit_exceeded'),
    );
    expect(await take(events, 2)).toEqual(['4', '5']);
    expect(said).toEqual([expect.any(APIConnectionError), null]);
  });

  it('throws errors that do not pass', async () => {
    const feed = new Feed();
    await expect(feed.follow({ after: 'unknown' }).next()).rejects.toBeInstanceOf(NotFoundError);
    // Also in place of an outage, which such an answer ends.
    const said: (GateError | null)[] = [];
    feed.failures.push(() => new TypeError('fetch failed'));
    const after = feed.follow({ after: 'unknown', onAway: (error) => said.push(error) });
    await expect(after.next()).rejects.toBeInstanceOf(NotFoundError);
    expect(said).toEqual([expect.any(APIConnectionError), null]);
  });

  it('yields nothing more once the signal has aborted, even of a page that it has read', async () => {
    const feed = new Feed();
    feed.add('1', '2', '3', '4');
    const stop = new AbortController();
    const events = feed.follow({ after: '1', signal: stop.signal });
    expect(await take(events, 1)).toEqual(['2']);
    stop.abort();
    expect(await take(events, 1)).toEqual([]);
  });

  it('ends when the signal aborts, also while it waits', async () => {
    const feed = new Feed();
    feed.add('1');
    const stop = new AbortController();
    const next = feed.follow({ after: '1', intervalMs: 3_600_000, signal: stop.signal }).next();
    while (feed.asked.length === 0) await new Promise(setImmediate);
    stop.abort();
    expect(await next).toEqual({ value: undefined, done: true });
  });
});
