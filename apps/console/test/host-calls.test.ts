import { createTestGate } from '@gateramp/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ConsoleOptions } from '../src/index.js';
import { ORIGIN, send, testConsole, type Asked } from './console.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** A port of the host whose functions never answer. */
const hanging = <Port extends object>(): Port => new Proxy({}, { get: () => never }) as Port;

interface Row {
  readonly options: Partial<ConsoleOptions>;
  readonly path: string;
  readonly asked?: Asked;
}

const ROWS: Readonly<Record<string, Row>> = {
  authorize: { options: { authorize: never }, path: '/me' },
  doors: { options: { doors: never }, path: '/doors' },
  'passkeys.request': {
    options: { passkeys: hanging() },
    path: '/passkeys/options',
    asked: { method: 'POST' },
  },
  'legs.wallets': { options: { legs: hanging() }, path: '/wallets' },
  'legs.listOperations': { options: { legs: hanging() }, path: '/operations?mode=test' },
  'legs.findOperation': { options: { legs: hanging() }, path: '/operations/op_1' },
  alarms: { options: { alarms: never }, path: '/alarms' },
  'rateLimits.hit': { options: { rateLimits: { limits: hanging() } }, path: '/doors' },
};

it.each(Object.entries(ROWS))('a request is answered 503 when %s of the host hangs', async (name, row) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { gate } = await createTestGate();
  const errors: string[] = [];
  const operator = { actor: 'olga', roles: ['admin'], partners: 'all' } as const;
  const onError = (error: unknown): void => void errors.push(String(error));
  const console = testConsole(gate, { authorize: () => operator, onError, ...row.options });
  const answer = await inAMinute(send(console, row.path, row.asked));
  expect(await answer?.json()).toMatchObject({ statusCode: 503, code: 'service_unavailable' });
  expect(errors).toEqual([expect.stringContaining(`${name} of the host did not answer within`)]);
});

it.each([
  ['hangs', never],
  ['rejects', () => Promise.reject(new Error('away'))],
])('a request below /auth/ is answered 503 when auth of the host %s', async (_, auth) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const errors: unknown[] = [];
  const { handle } = testConsole((await createTestGate()).gate, { auth, onError: (error) => void errors.push(error) });
  expect((await inAMinute(handle(new Request(`${ORIGIN}/auth/callback`))))?.status).toBe(503);
  expect(errors).toHaveLength(1);
});

/** Undefined if there is no answer in a minute. */
async function inAMinute(answer: Promise<Response>): Promise<Response | undefined> {
  let answered: Response | undefined;
  void answer.then((response) => (answered = response));
  for (let second = 0; second < 60 && answered === undefined; second += 1) {
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return answered;
}
