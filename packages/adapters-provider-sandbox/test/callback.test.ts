import { describe, expect, it } from 'vitest';
import type { Mode } from '@gateramp/core';
import {
  memorySandboxLedger,
  SANDBOX_TEST_CALLBACK_SECRET,
  sandboxProvider,
  signSandboxCallback,
} from '../src/index.js';
import { at, NOW, start } from './builders.js';

const SECRET = 'callback secret';
const body = (members: object) =>
  JSON.stringify({ event_id: 'evt_1', operation_id: 'op_1', outcome: 'succeeded', ...members });

function callback(
  rawBody: string,
  changes: { signature?: string; secret?: string; signedAt?: number; mode?: Mode } = {},
) {
  const signature =
    changes.signature ?? signSandboxCallback(rawBody, changes.secret ?? SECRET, changes.signedAt ?? NOW);
  return {
    rawBody: new TextEncoder().encode(rawBody),
    headers: { 'x-sandbox-signature': signature },
    mode: changes.mode ?? 'test',
    now: NOW,
    modeNow: NOW,
  };
}

async function startedProvider() {
  const ledger = memorySandboxLedger();
  const provider = sandboxProvider({ ledger, callbackSecret: SECRET });
  await provider.start(start());
  return { ledger, provider };
}

describe('a callback', () => {
  it('signed over its raw bytes is reported with what is known of the money', async () => {
    const { provider } = await startedProvider();
    expect(await provider.parseCallback(callback(body({})))).toMatchObject({
      kind: 'report',
      report: {
        eventId: 'evt_1',
        operationId: 'op_1',
        outcome: { kind: 'succeeded' },
        details: { source: { amount: '100.00' }, txHash: expect.any(String) },
      },
    });
  });

  it.each([
    ['no signature', callback(body({}), { signature: '' })],
    ['a wrong secret', callback(body({}), { secret: 'other' })],
    ['another body', { ...callback(body({})), rawBody: new TextEncoder().encode(body({ operation_id: 'op_2' })) }],
    ['a signature older than 300 s', callback(body({}), { signedAt: NOW - 301_000 })],
    ['a signature from the future', callback(body({}), { signedAt: NOW + 301_000 })],
    ['a cut signature', callback(body({}), { signature: signSandboxCallback(body({}), SECRET, NOW).slice(0, -1) })],
  ])('with %s is unauthenticated and changes nothing', async (_name, raw) => {
    const { provider, ledger } = await startedProvider();
    const before = await ledger.read('op_1');
    expect(await provider.parseCallback(raw)).toEqual({ kind: 'unauthenticated' });
    expect(await ledger.read('op_1')).toEqual(before);
  });

  it.each([300_000, -300_000])('signed %d ms ago is still fresh', async (ago) => {
    const { provider } = await startedProvider();
    expect((await provider.parseCallback(callback(body({}), { signedAt: NOW - ago }))).kind).toBe('report');
  });

  it('is unauthenticated where no secret is set, even signed with an empty one', async () => {
    const raw = callback(body({}), { signature: signSandboxCallback(body({}), '', NOW) });
    expect(await sandboxProvider().parseCallback(raw)).toEqual({ kind: 'unauthenticated' });
    const empty = sandboxProvider({ callbackSecret: '', testCallbackSecret: '' });
    expect(await empty.parseCallback(raw)).toEqual({ kind: 'unauthenticated' });
  });

  describe('signed with the public test secret', () => {
    const signed = { secret: SANDBOX_TEST_CALLBACK_SECRET };

    it.each([
      ['alone', {}],
      ['next to a secret of the installation', { callbackSecret: SECRET }],
    ])('is authentic in test mode, %s', async (_name, options) => {
      const provider = sandboxProvider(options);
      await provider.start(start());
      expect((await provider.parseCallback(callback(body({}), signed))).kind).toBe('report');
      expect((await provider.lookup(at(0)))?.outcome.kind).toBe('succeeded');
    });

    it.each([
      ['of live mode', { callbackSecret: SECRET }, 'live'],
      ['of a live mode without a secret', {}, 'live'],
      ['where another test secret is set', { testCallbackSecret: 'of our own' }, 'test'],
      ['where the test secret is switched off', { callbackSecret: SECRET, testCallbackSecret: null }, 'test'],
    ] as const)('is unauthenticated %s', async (_name, options, mode) => {
      const raw = callback(body({}), { ...signed, mode });
      expect(await sandboxProvider(options).parseCallback(raw)).toEqual({ kind: 'unauthenticated' });
    });
  });

  it.each([
    ['is not JSON', '{'],
    ['is an array', '[]'],
    ['has no event id', body({ event_id: '' })],
    ['has no operation id', body({ operation_id: 7 })],
    ['has an unknown outcome', body({ outcome: 'cancelled' })],
    [
      'has a failure of an unknown code',
      body({ outcome: 'failed', failure: { code: 'boom', stage: 'payment', message: '', retryable: true } }),
    ],
    ['has NUL in its event id', body({ event_id: 'evt-\u0000' })],
    ['has half a character in its operation id', body({ operation_id: 'op-\ud800' })],
    [
      'has NUL in the message of a failure',
      body({
        outcome: 'failed',
        failure: { code: 'payment_declined', stage: 'payment', message: '\u0000', retryable: true },
      }),
    ],
  ])('that %s is malformed', async (_name, rawBody) => {
    const { provider } = await startedProvider();
    expect((await provider.parseCallback(callback(rawBody))).kind).toBe('malformed');
  });
});

describe('a provider update by callback', () => {
  it('enters the books, so that a later lookup agrees', async () => {
    const { provider } = await startedProvider();
    const failure = { code: 'insufficient_funds', stage: 'payment', message: 'No.', retryable: true };
    await provider.parseCallback(callback(body({ outcome: 'failed', failure })));
    expect((await provider.lookup(at(60_000)))?.outcome).toEqual({ kind: 'failed', failure });
  });

  it.each([
    [['succeeded', 'failed'], 'succeeded'],
    [['succeeded', 'processing'], 'succeeded'],
    [['refunded', 'succeeded'], 'refunded'],
    [['charged_back', 'refunded'], 'charged_back'],
    [['failed', 'succeeded'], 'succeeded'],
    [['succeeded', 'refunded', 'charged_back'], 'charged_back'],
  ])('never un-settles: %j ends as %s', async (outcomes, end) => {
    const { provider, ledger } = await startedProvider();
    for (const outcome of [...outcomes, ...outcomes]) await provider.parseCallback(callback(body({ outcome })));
    expect((await provider.lookup(at(60_000)))?.outcome.kind).toBe(end);
    const kinds = (await ledger.effects('op_1', NOW + 60_000)).map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it('of success after a cancel is money all the same', async () => {
    const provider = sandboxProvider({ callbackSecret: SECRET });
    await provider.cancel(at(0));
    await provider.parseCallback(callback(body({})));
    expect((await provider.lookup(at(0)))?.outcome).toEqual({ kind: 'succeeded' });
  });

  it('of an operation that the books do not hold, or of the other mode, is reported and written nowhere', async () => {
    const { provider, ledger } = await startedProvider();
    const before = await ledger.read('op_1');
    expect((await provider.parseCallback(callback(body({ operation_id: 'op_unknown' })))).kind).toBe('report');
    expect(await ledger.read('op_unknown')).toBeNull();
    await provider.parseCallback(callback(body({}), { mode: 'live' }));
    expect(await ledger.read('op_1')).toEqual(before);
  });
});
