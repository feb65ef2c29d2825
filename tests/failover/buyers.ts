import { expect } from 'vitest';
import { DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import { call, type ReadyServer } from '../../apps/reference-server/test/running-server.js';

/** Creates a session; null if there was no answer. */
export const createSession = ({ origins }: ReadyServer, key: string) =>
  call(
    `${origins.sandbox}/v1/gate_sessions`,
    { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': key },
    { amount: '25.00', currency: 'EUR', return_url: `${origins.demo}/` },
  ).catch(() => null);

/** What buyers have seen so far. */
export interface Seen {
  /** The ids of the acknowledged sessions by idempotency key. */
  readonly acknowledged: Map<string, string>;
  /** The number of requests whose outcome was unknown, each repeated until it was known. */
  unknown: number;
  readonly done: Promise<unknown>;
}

/** Only ends what hangs. */
const REPEAT_WITHIN_MS = 360_000;
const REPEAT_AFTER_MS = 50;

/** Buyers that each create `each` sessions, one after another, and repeat a request until it is acknowledged. */
export function startBuyers(server: ReadyServer, { buyers, each }: { buyers: number; each: number }): Seen {
  const seen: { -readonly [Name in keyof Seen]: Seen[Name] } = {
    acknowledged: new Map(),
    unknown: 0,
    done: Promise.resolve(),
  };
  const acknowledge = async (key: string): Promise<void> => {
    const until = performance.now() + REPEAT_WITHIN_MS;
    while (performance.now() < until) {
      const created = await createSession(server, key);
      if (created?.status === 201) return void seen.acknowledged.set(key, created.json['id'] ?? '');
      seen.unknown += 1;
      expect(created === null || created.status === 503, JSON.stringify(created?.json)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS));
    }
    throw new Error(`${key} was not acknowledged in time.`);
  };
  const buyer = async (name: number): Promise<void> => {
    for (let nth = 0; nth < each; nth += 1) await acknowledge(`${name}-${nth}`);
  };
  seen.done = Promise.all(Array.from({ length: buyers }, (_, name) => buyer(name)));
  return seen;
}
