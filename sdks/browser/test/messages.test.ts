import { fc, it } from '@fast-check/vitest';
import { expect } from 'vitest';

import { readMessage } from '../src/messages.js';

const TYPES = ['WIDGET_READY', 'PAYMENT_SUCCESS', 'PAYMENT_ERROR', 'PAYMENT_CLOSE', 'WIDGET_RESIZE'];
const NAMES = [
  'capabilities',
  'txId',
  'sessionId',
  'amount',
  'currency',
  'code',
  'message',
  'intentId',
  'reason',
  'height',
  'isNewStep',
];

const nearly = fc.record({
  type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TYPES) }, fc.anything()),
  payload: fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(fc.string(), fc.anything())) },
    fc.anything(),
  ),
});

/** The required (`needed`) and all members of each message. */
const MEMBERS = {
  WIDGET_READY: { needed: [], all: ['capabilities'] },
  PAYMENT_SUCCESS: { needed: ['txId'], all: ['txId', 'sessionId', 'amount', 'currency'] },
  PAYMENT_ERROR: { needed: ['code', 'message'], all: ['code', 'message', 'intentId'] },
  PAYMENT_CLOSE: { needed: ['reason'], all: ['reason'] },
  WIDGET_RESIZE: { needed: ['height', 'isNewStep'], all: ['height', 'isNewStep'] },
} as const;

it.prop([fc.oneof(nearly, fc.anything())])('whatever is posted, what is read has the shape of a message', (data) => {
  const message = readMessage(data);
  if (message === null) return;
  const { type, payload } = message;
  const { needed, all } = MEMBERS[type];
  const names = Object.keys(payload);
  expect(all).toEqual(expect.arrayContaining(names));
  expect(names).toEqual(expect.arrayContaining([...needed]));
  if (type === 'WIDGET_RESIZE') expect(payload.height).toBeGreaterThan(0);
  else if (type !== 'WIDGET_READY')
    expect(new Set(Object.values(payload).map((value) => typeof value))).toEqual(new Set(['string']));
  if (type === 'PAYMENT_CLOSE') expect(['user_close', 'session_expired', 'unknown']).toContain(payload.reason);
});

it('a null where a field is optional is as good as none', () => {
  const payload = { txId: 'gtx_1', sessionId: null, amount: '1.00' };
  expect(readMessage({ type: 'PAYMENT_SUCCESS', payload })).toEqual({
    type: 'PAYMENT_SUCCESS',
    payload: { txId: 'gtx_1', amount: '1.00' },
  });
});
