import { MINUTE } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';
import { memorySandboxLedger, sandboxProvider, SLOW_REFUND_MS } from '../src/index.js';
import { report } from '../src/report.js';
import { NOW, start } from './builders.js';

async function settled() {
  const ledger = memorySandboxLedger();
  const provider = sandboxProvider({ ledger });
  const { operationId, mode } = start();
  await provider.start(start());
  const now = NOW + MINUTE;
  return { ledger, provider, operation: { operationId, mode, now } };
}

describe('a refund at the sandbox', () => {
  it('of 13.13 is declined and of 14.14 takes a minute, and the books show what has gone back', async () => {
    const { ledger, provider, operation } = await settled();
    const { operationId, now } = operation;
    const order = (refundId: string, amount: string) => ({
      ...operation,
      refundId,
      amount,
      currency: 'EUR',
      reason: null,
    });
    expect(await provider.refund(order('a', '13.13'))).toMatchObject({
      kind: 'failed',
      failure: { code: 'refund_declined' },
    });
    expect(await provider.refund(order('b', '14.14'))).toEqual({ kind: 'pending', checkAfterMs: SLOW_REFUND_MS });
    expect((await ledger.effects(operationId, now)).map(({ kind }) => kind)).toEqual(['charge', 'delivery']);
    const later = { ...order('b', '14.14'), now: now + SLOW_REFUND_MS };
    expect(await provider.lookupRefund(later)).toEqual({ kind: 'succeeded' });
    expect((await ledger.effects(operationId, later.now)).at(-1)).toMatchObject({ kind: 'refund', amount: '14.14' });
  });

  it('before a chargeback is not charged back again', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger, callbackSecret: 'secret' });
    const order = start();
    await provider.start(order);
    const { operationId, mode } = order;
    const refund = { operationId, mode, refundId: 'a', amount: '30.00', currency: 'EUR', reason: null };
    await provider.refund({ ...refund, now: NOW + MINUTE });
    const operation = await ledger.read(operationId);
    if (operation === null) throw new Error('The operation is not there.');
    const returned = report(operation, { kind: 'charged_back' }, NOW + 2 * MINUTE);
    expect(returned.effects.at(-1)).toMatchObject({ kind: 'chargeback', amount: '70' });
  });

  it('of a payment that is returned as a whole, or is not settled, moves nothing', async () => {
    const provider = sandboxProvider();
    const order = start();
    const { operationId, mode } = order;
    const refund = { operationId, mode, refundId: 'a', amount: '1.00', currency: 'EUR', reason: null };
    await provider.start(order);
    expect(await provider.refund({ ...refund, now: NOW })).toMatchObject({ kind: 'failed' });
  });
});
