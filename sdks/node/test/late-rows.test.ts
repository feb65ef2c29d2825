import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { Gate, type GateSession } from '../src/index.js';

const MINUTE = 60_000;
const T0 = Date.parse('2030-01-31T12:00:00Z');

interface Row {
  readonly id: string;
  readonly status: 'open' | 'completed';
  readonly createdAt: number;
  /** When its commit ends. */
  readonly visibleAt: number;
}

/** Requests and the reader advance it. */
let now = T0;
beforeEach(() => void vi.spyOn(Date, 'now').mockImplementation(() => now));
afterEach(() => vi.restoreAllMocks());

/** A list ordered by ids, which are made before the commit. */
class Service {
  readonly asked: { readonly query: URLSearchParams; readonly at: number }[] = [];
  readonly #rows: readonly Row[];
  readonly #latencyMs: number;

  readonly gate = new Gate('sk_test_late', {
    baseUrl: 'http://127.0.0.1:9',
    maxRetries: 0,
    fetch: (input, init) => Promise.resolve(this.#answer(new URL(new Request(input, init).url).searchParams)),
  });

  constructor(rows: readonly Row[], startsAt: number, latencyMs = 0) {
    now = startsAt;
    this.#rows = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    this.#latencyMs = latencyMs;
  }

  /** The rows after `id` that are visible at `at`, in order. */
  after(id: string, query: URLSearchParams, at = now): readonly Row[] {
    const status = query.get('status');
    const since = Date.parse(query.get('created_after') ?? '1970-01-01');
    return this.#rows.filter(
      (row) =>
        row.id > id && row.visibleAt <= at && row.createdAt >= since && (status === null || row.status === status),
    );
  }

  #answer(query: URLSearchParams): Response {
    now += this.#latencyMs;
    this.asked.push({ query, at: now });
    const limit = Number(query.get('limit'));
    const found = this.after(query.get('ending_before') ?? '', query);
    const data = found.slice(0, limit).map(({ id, status, createdAt }) => ({
      id,
      object: 'gate_session',
      status,
      created_at: new Date(createdAt).toISOString(),
    }));
    now += this.#latencyMs;
    return Response.json({
      object: 'list',
      data: data.reverse(),
      has_more: found.length > limit,
      url: '/v1/gate_sessions',
    });
  }
}

const row = (id: string, createdAt: number, visibleAt = createdAt): Row => ({
  id,
  status: 'open',
  createdAt: T0 + createdAt,
  visibleAt: T0 + visibleAt,
});

async function walk(list: AsyncIterable<GateSession>, handle?: (id: string) => void): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id } of list) {
    found.push(id);
    handle?.(id);
  }
  return found;
}

it('a walk towards newer items yields those that are committed behind it, and each item once', async () => {
  const rows = [row('a', 0), row('b', 1_000), row('c', 2_000, 40_000), row('d', 3_000, 40_000), row('e', 4_000)];
  const service = new Service(rows, T0 + 5_000);
  const list = service.gate.gateSessions.list({ ending_before: 'a', limit: 2, status: 'open' });
  const found = await walk(list, (id) => {
    if (id === 'e') now = T0 + 40_000;
  });
  expect(found).toEqual(['b', 'e', 'c', 'd']);
  expect(service.asked.map(({ query }) => Object.fromEntries(query))).toEqual([
    { ending_before: 'a', limit: '2', status: 'open' },
    { ending_before: 'a', limit: '2', status: 'open', created_after: '2030-01-31T11:59:04.000Z' },
    { ending_before: 'c', limit: '2', status: 'open', created_after: '2030-01-31T11:59:04.000Z' },
  ]);
});

it('yields those that are committed behind it also if the reader takes minutes between two pages', async () => {
  const rows = [row('a', 0), row('b', 10_000, 60_000), row('c', 20_000), row('d', 21_000), row('e', 150_000)];
  const service = new Service(rows, T0 + 30_000);
  const found = await walk(service.gate.gateSessions.list({ ending_before: 'a', limit: 1 }), (id) => {
    if (id === 'c') now = T0 + 150_000;
  });
  expect(found).toEqual(['c', 'd', 'e', 'b']);
});

it('reads nothing again if it finds nothing, towards older items, or in the feed of events', async () => {
  const service = new Service([row('a', 0), row('b', 1_000)], T0 + MINUTE);
  expect(await walk(service.gate.gateSessions.list({ ending_before: 'b', limit: 2 }))).toEqual([]);
  expect(await walk(service.gate.gateSessions.list({ limit: 2 }))).toEqual(['b', 'a']);
  for await (const { id } of service.gate.events.list({ ending_before: 'a', limit: 2 })) expect(id).toBe('b');
  expect(service.asked).toHaveLength(3);
});

it('keeps the caller’s own created_after if it is later', async () => {
  const service = new Service([row('a', 0), row('b', 5_000), row('c', 7_000)], T0 + MINUTE);
  const from = '2030-01-31T13:00:06+01:00';
  const query = { ending_before: 'a', limit: 2, created_after: from };
  expect(await walk(service.gate.gateSessions.list(query))).toEqual(['c']);
  expect(service.asked.map(({ query }) => query.get('created_after'))).toEqual([from, from]);
});

it('yields each item once, and all that were visible when it read the last minute again', async () => {
  const aRow = fc.record({
    pause: fc.nat(8_000),
    slack: fc.oneof(fc.constant(0), fc.nat(5_000)),
    late: fc.oneof(
      fc.constant(0),
      fc.constant(0),
      fc.integer({ min: 0, max: MINUTE }),
      fc.integer({ min: 50_000, max: MINUTE }),
    ),
    status: fc.constantFrom('open', 'completed'),
  });
  const aWalk = fc.record({
    rows: fc.array(aRow, { minLength: 2, maxLength: 40, size: 'max' }),
    first: fc.nat(3),
    startsAt: fc.record({ row: fc.nat(), afterMs: fc.nat(10_000) }),
    latency: fc.oneof(fc.constant(0), fc.nat(5_000)),
    pauses: fc.infiniteStream(fc.oneof(fc.constant(0), fc.constant(0), fc.nat(MINUTE))),
    limit: fc.integer({ min: 1, max: 5 }),
    isFiltered: fc.boolean(),
  });
  const yields = async ({ rows, first, startsAt, latency, pauses, limit, isFiltered }: Generated): Promise<void> => {
    let idAt = T0;
    const made = rows.map(({ pause, slack, late, status }, nth) => {
      idAt += pause;
      const id = `${idAt}-${String(nth).padStart(2, '0')}`;
      return { id, status, createdAt: idAt + slack, visibleAt: idAt + slack + late };
    });
    const cursor = made[first % made.length]?.id ?? '';
    const start = (made[startsAt.row % made.length]?.createdAt ?? T0) + startsAt.afterMs;
    const service = new Service(made, start, latency);
    const query = { ending_before: cursor, limit, ...(isFiltered ? { status: 'open' as const } : {}) };
    const found = await walk(service.gate.gateSessions.list(query), () => void (now += pauses.next().value));

    expect(new Set(found).size).toBe(found.length);
    const [begin] = service.asked;
    const again = service.asked.findLastIndex(({ query: asked }) => asked.get('ending_before') === cursor);
    if (begin === undefined) throw new Error('Nothing was asked.');
    expect(again > 0).toBe(found.length > 0);
    const visible = (at: number): readonly string[] => service.after(cursor, begin.query, at).map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([...visible(service.asked[again]?.at ?? 0)]));
    expect(visible(now)).toEqual(expect.arrayContaining([...found]));
    // At most one read of the time since a minute before the walk began.
    expect(service.asked.length).toBeLessThanOrEqual(2 * (Math.floor(found.length / limit) + 1));
  };
  type Generated = typeof aWalk extends fc.Arbitrary<infer Value> ? Value : never;
  await fc.assert(fc.asyncProperty(aWalk, yields), { numRuns: runs(300, 5_000) });
});
