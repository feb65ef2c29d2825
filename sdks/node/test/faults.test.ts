import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { APIError, Gate, GateError, RateLimitError, TimeoutError } from '../src/index.js';
import { faultyProxy, type Fault, type FaultyProxy } from './faulty-proxy.js';

/** The time limit of attempts, which no other timer has. */
const TIMEOUT_MS = 31_415;
/**
 * Reaches the time limit of the attempt that runs. A limit that is short enough to wait for would also end attempts that are answered, on a
 * machine that stands still for a moment.
 */
let reachLimit = (): void => undefined;

beforeEach(() => {
  // No jitter: these tests check the requests, not their timing.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const wait = setTimeout;
  const noted = (run: () => void, ms?: number, ...given: []): NodeJS.Timeout => {
    if (ms === TIMEOUT_MS) reachLimit = run;
    return wait(run, ms, ...given);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(noted);
});
afterEach(() => void vi.restoreAllMocks());

const RETRIED: readonly Fault[] = [
  'reset_before',
  'reset_after',
  'hang_before',
  'hang_after',
  'half_a_body',
  'half_a_body_of_no_said_length',
  'not_json',
  ...[408, 425, 429, 500, 502, 503, 504].flatMap((status) => [
    { status },
    { status, after: true },
    { status, headers: { 'retry-after-short': '0' } },
  ]),
  { status: 429, headers: { 'retry-after': '0' } },
];

const named = (fault: Fault): string => (typeof fault === 'string' ? fault : JSON.stringify(fault));

interface Shop {
  readonly proxy: FaultyProxy;
  readonly gate: Gate;
  /** Bypasses the proxy. */
  readonly direct: Gate;
  readonly order: {
    readonly amount: string;
    readonly currency: string;
    readonly return_url: string;
    readonly user_reference: string;
  };
  sessionsOfOrder(): Promise<number>;
}

async function shop(faults: readonly Fault[]): Promise<Shop> {
  const server = await startReferenceServer();
  const { sandbox } = server.origins;
  const proxy = await faultyProxy(sandbox, faults, () => reachLimit());
  const direct = new Gate(TEST_PARTNER.secretKey, { baseUrl: sandbox });
  const order = { amount: '100.00', currency: 'EUR', return_url: server.returnUrl, user_reference: randomUUID() };
  return {
    proxy,
    direct,
    gate: new Gate(TEST_PARTNER.secretKey, { baseUrl: proxy.url, timeoutMs: TIMEOUT_MS }),
    order,
    sessionsOfOrder: async () => (await direct.gateSessions.list({ user_reference: order.user_reference })).data.length,
  };
}

describe('one session, whatever happens on the way', () => {
  it.each(RETRIED.map((fault) => [named(fault), fault] as const))('%s, and then again', async (_, fault) => {
    const { proxy, gate, order, sessionsOfOrder } = await shop([fault, fault]);
    const session = await gate.gateSessions.create(order);
    expect(session.client_secret).toMatch(/^gsec_/);
    expect(await sessionsOfOrder()).toBe(1);
    expect(proxy.seen).toHaveLength(3);
    expect(new Set(proxy.seen.map(({ key }) => key)).size).toBe(1);
    expect(new Set(proxy.seen.map(({ body }) => body)).size).toBe(1);
  });

  it('even when all attempts fail and the caller comes again with the key', async () => {
    const { gate, order, sessionsOfOrder } = await shop(['reset_after', 'half_a_body', 'hang_after']);
    const idempotencyKey = randomUUID();
    await expect(gate.gateSessions.create(order, { idempotencyKey })).rejects.toBeInstanceOf(TimeoutError);
    const session = await gate.gateSessions.create(order, { idempotencyKey });
    expect(session.status).toBe('open');
    expect(await sessionsOfOrder()).toBe(1);
  });

  it('and two operations have two keys', async () => {
    const { proxy, gate, order, sessionsOfOrder } = await shop([]);
    await Promise.all([gate.gateSessions.create(order), gate.gateSessions.create(order)]);
    expect(await sessionsOfOrder()).toBe(2);
    const keys = proxy.seen.map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys)
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('a cancel whose answer was lost', () => {
  it('is answered with the session that it cancelled', async () => {
    const { gate, direct, order } = await shop(['reset_after']);
    const { id } = await direct.gateSessions.create(order);
    expect(await gate.gateSessions.cancel(id)).toMatchObject({ id, status: 'cancelled' });
  });

  it('is refused when the session was cancelled before', async () => {
    const { gate, direct, order } = await shop([]);
    const { id } = await direct.gateSessions.create(order);
    await direct.gateSessions.cancel(id);
    await expect(gate.gateSessions.cancel(id)).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'session_not_open',
    });
  });
});

describe('what is not retried', () => {
  const others = [
    400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 415, 417, 418, 422, 423, 426, 428, 431, 451,
  ];

  it('is every other 4xx, 501, 505 and redirects', async () => {
    const elsewhere = await faultyProxy('http://127.0.0.1:9', Array<Fault>(99).fill({ status: 200 }));
    for (const status of [...others, 499, 501, 505, 301, 302, 307, 308]) {
      const headers = status < 400 ? { location: `${elsewhere.url}/v1/gate_sessions` } : {};
      const proxy = await faultyProxy('http://127.0.0.1:9', [{ status, headers }]);
      const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: proxy.url });
      await expect(gate.gateSessions.list()).rejects.toMatchObject({ status });
      expect([status, proxy.seen.length]).toEqual([status, 1]);
    }
    expect(elsewhere.seen).toEqual([]);
  });

  it('is a wait of an hour: it is reported, and not slept', async () => {
    const { proxy, gate, order } = await shop([{ status: 429, headers: { 'retry-after-short': '3600' } }]);
    const refused = await gate.gateSessions.create(order).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({ retryAfterSeconds: 3600 });
    expect(proxy.seen).toHaveLength(1);
  });

  it('is anything beyond maxRetries', async () => {
    const { proxy, gate } = await shop(Array<Fault>(9).fill({ status: 503 }));
    await expect(gate.gateSessions.list({}, { maxRetries: 0 })).rejects.toBeInstanceOf(APIError);
    expect(proxy.seen).toHaveLength(1);
    await expect(gate.gateSessions.list({}, { maxRetries: 4 })).rejects.toBeInstanceOf(APIError);
    expect(proxy.seen).toHaveLength(6);
  });

  it('is what its caller gave up, while it is sent or while it waits', async () => {
    const { proxy, gate } = await shop(['hang_before', { status: 429, headers: { 'retry-after-short': '59' } }]);
    for (const sent of [1, 2]) {
      const caller = new AbortController();
      const call = gate.gateSessions.list({}, { signal: caller.signal, timeoutMs: 60_000 }).then(
        () => null,
        (error: unknown) => error,
      );
      await expect.poll(() => proxy.seen.length).toBe(sent);
      caller.abort(new Error('The user has left.'));
      expect(await call).toEqual(new Error('The user has left.'));
    }
    expect(proxy.seen).toHaveLength(2);
  });
});

it('no error says the key', async () => {
  const { gate, order } = await shop(['reset_before', 'not_json', { status: 403 }]);
  const error: unknown = await gate.gateSessions.create(order).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(GateError);
  expect(`${String(error)}${JSON.stringify(error)}`).not.toContain(TEST_PARTNER.secretKey);
});
