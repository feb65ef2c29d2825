import type { Intent } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, checkout, type Checkout } from './checkout.js';

const SEND_CODE = { action: 'send_code' } as const;

async function waiting(t: TestGate): Promise<{ readonly buyer: Checkout; readonly id: string }> {
  const buyer = await checkout(t);
  const begun = await buyer.begin(CARDS.asksForACode);
  return { buyer, id: String(begun.json['id']) };
}

function resendAt({ nextAction }: Intent): number {
  if (nextAction?.type !== 'payment_authentication' || nextAction.resendAt === undefined)
    throw new Error('No other code can be asked for.');
  return nextAction.resendAt;
}

describe('another one-time code', () => {
  it('can be asked for once the provider allows it, and then later again', async () => {
    const t = await createTestGate();
    const { buyer, id } = await waiting(t);
    const first = await buyer.intent(id);
    expect(await buyer.confirm(id, SEND_CODE)).toMatchObject({
      status: 409,
      json: {
        code: 'intent_not_confirmable',
        message: `Another one-time code can be sent from ${new Date(resendAt(first)).toISOString()}.`,
      },
    });

    await t.clock.advance(31_000);
    const again = await buyer.confirm(id, SEND_CODE);
    const second = await buyer.intent(id);
    expect(resendAt(second) - resendAt(first)).toBe(31_000);
    expect(again).toMatchObject({
      status: 200,
      json: {
        status: 'requires_action',
        code_resend_at: new Date(resendAt(second)).toISOString(),
        expires_at: new Date(first.expiresAt ?? 0).toISOString(),
      },
    });
    expect(await buyer.confirm(id, SEND_CODE)).toMatchObject({ status: 409 });

    expect(await buyer.confirmCode(id)).toMatchObject({ status: 200, json: { status: 'processing' } });
    expect(await buyer.confirm(id, SEND_CODE)).toMatchObject({ status: 409 });
  });

  it('is refused for another action', async () => {
    const t = await createTestGate();
    const buyer = await checkout(t);
    const sale = await buyer.sell();
    expect(await buyer.confirm(String(sale.json['id']), SEND_CODE)).toMatchObject({
      status: 409,
      json: { code: 'intent_not_confirmable', message: 'The intent waits for crypto_deposit, not for send_code.' },
    });
  });
});
