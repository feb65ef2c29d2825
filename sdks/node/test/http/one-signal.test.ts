import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gate } from '../../src/index.js';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

const caught = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

/** The warnings about this signal, which are emitted in later ticks. */
async function warningsAbout(signal: AbortSignal): Promise<readonly Error[]> {
  await new Promise(setImmediate);
  return warnings.filter((warning) => 'target' in warning && warning.target === signal);
}

const warnings: Error[] = [];
const onWarning = (warning: Error): void => void warnings.push(warning);
beforeEach(() => void process.on('warning', onWarning));
afterEach(() => {
  process.off('warning', onWarning);
  vi.restoreAllMocks();
});

it('one signal serves fifty calls at once and hundreds in turn, without a warning, and keeps no listener', async () => {
  const { signal } = new AbortController();
  let most = 0;
  const gate = new Gate('sk_test_a', {
    fetch: async () => {
      most = Math.max(most, listeners(signal));
      return Response.json({ data: [], has_more: false, url: '/' });
    },
  });
  await Promise.all(Array.from({ length: 50 }, () => gate.gateSessions.list({}, { signal })));
  for (let call = 0; call < 300; call += 1) await gate.gateSessions.list({}, { signal });
  expect(most).toBe(1);
  expect(listeners(signal)).toBe(0);
  expect(await warningsAbout(signal)).toEqual([]);
});

it('it ends fifty calls that have no answer, each with its reason', async () => {
  const caller = new AbortController();
  let asked = 0;
  const gate = new Gate('sk_test_a', {
    fetch: () => {
      asked += 1;
      return new Promise(() => undefined);
    },
  });
  const calls = Array.from({ length: 50 }, () => caught(gate.gateSessions.list({}, { signal: caller.signal })));
  await expect.poll(() => asked).toBe(50);
  const reason = new Error('The user has left.');
  caller.abort(reason);
  for (const error of await Promise.all(calls)) expect(error).toBe(reason);
  expect(listeners(caller.signal)).toBe(0);
  expect(await caught(gate.gateSessions.list({}, { signal: caller.signal }))).toBe(reason);
  expect([asked, listeners(caller.signal), await warningsAbout(caller.signal)]).toEqual([50, 0, []]);
});

it('it ends fifty calls that wait for their retries', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const caller = new AbortController();
  let answered = 0;
  const gate = new Gate('sk_test_a', {
    fetch: async () => {
      answered += 1;
      return new Response(null, { status: 503, headers: { 'retry-after-short': '59' } });
    },
  });
  const calls = Array.from({ length: 50 }, () => caught(gate.gateSessions.list({}, { signal: caller.signal })));
  await expect.poll(() => timers.mock.calls.filter(([, ms = 0]) => ms >= 59_000).length).toBe(50);
  expect(listeners(caller.signal)).toBe(1);
  caller.abort(new Error('The user has left.'));
  for (const error of await Promise.all(calls)) expect(error).toBe(caller.signal.reason);
  expect([answered, listeners(caller.signal), await warningsAbout(caller.signal)]).toEqual([50, 0, []]);
});
