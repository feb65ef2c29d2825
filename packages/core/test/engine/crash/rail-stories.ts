import { expect } from 'vitest';
import type { TestResponse } from '@gateramp/testing';
import { bodyOf, type Kind } from '../rails/rails.js';
import type { Buyer } from './buyer.js';

/** The actions of a partner's server over rails. All requests can be repeated, and the story can be restarted at any point. */
export interface RailStory {
  readonly kind: Kind;
  readonly ending: 'succeeded' | 'cancelled' | 'failed';
  readonly live: (buyer: Buyer) => Promise<string>;
}

export const RAIL_STORIES = {
  'a pay-in that is paid': { kind: 'pay_in', ending: 'succeeded', live: (buyer) => pay(buyer, 'pay_in') },
  'a pay-out that is paid': { kind: 'pay_out', ending: 'succeeded', live: (buyer) => pay(buyer, 'pay_out') },
  'a pay-in that is cancelled': { kind: 'pay_in', ending: 'cancelled', live: (buyer) => giveUp(buyer, 'pay_in') },
  'a pay-out whose crypto never comes': {
    kind: 'pay_out',
    ending: 'failed',
    live: async (buyer) => {
      const { id } = await begun(buyer, 'pay_out');
      await buyer.workFor('31m');
      return id;
    },
  },
} satisfies Readonly<Record<string, RailStory>>;

type Json = TestResponse['json'];

/** Creates a payment that waits for its money, and another one with its own quote if a crash made the first one fail. */
async function begun(buyer: Buyer, kind: Kind): Promise<{ readonly id: string; readonly n: number }> {
  for (let n = 0; n < ATTEMPTS_MAX; n += 1) {
    const key = buyer.t.keys.secret.test;
    const side = kind === 'pay_in' ? 'on_ramp' : 'off_ramp';
    const quote = await buyer.ask(`quote ${n}`, '/v1/quotes', { key, body: { ...ASK, side } });
    expect(quote.status, quote.text).toBe(201);
    const body = bodyOf(kind, String(quote.json['id']));
    const made = await buyer.ask(`payment ${n}`, `/v1/rails/${kind}s`, { key, body });
    expect(made.status, made.text).toBe(201);
    const id = String(made.json['id']);
    const seen = await look(buyer, kind, id);
    if (seen['status'] !== 'failed' || isLapsed(seen)) return { id, n };
    expect(seen['failure']).toMatchObject({ code: 'error', retryable: true });
  }
  throw new Error('No payment begins.');
}

function isLapsed({ failure }: Json): boolean {
  return (failure as { readonly code: string }).code === 'deposit_not_received';
}

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE', payment_method: 'bank_transfer' };
const ATTEMPTS_MAX = 3;

async function look(buyer: Buyer, kind: Kind, id: string): Promise<Json> {
  const key = buyer.t.keys.secret.test;
  for (let look = 0; look < 4; look += 1) {
    const seen = await buyer.t.request('GET', `/v1/rails/${kind}s/${id}`, { key });
    expect(seen.status, seen.text).toBe(200);
    // Its process has died; the process that finds the step looks it up.
    if (seen.json['status'] !== 'created') return seen.json;
    await buyer.workFor('1m');
  }
  throw new Error('The payment stays as it was created.');
}

async function pay(buyer: Buyer, kind: Kind): Promise<string> {
  const { id, n } = await begun(buyer, kind);
  const path = `/v1/test_helpers/rails/${id}/simulate`;
  for (const scenario of ['processing', 'succeed']) {
    const done = await buyer.ask(`${scenario} ${n}`, path, { key: buyer.t.keys.secret.test, body: { scenario } });
    expect(done.status, done.text).toBe(200);
    await buyer.workFor('10s');
  }
  return id;
}

async function giveUp(buyer: Buyer, kind: Kind): Promise<string> {
  const { id } = await begun(buyer, kind);
  const done = await buyer.t.request('POST', `/v1/rails/${kind}s/${id}/cancel`, { key: buyer.t.keys.secret.test });
  // A cancellation whose response was lost is answered with a conflict.
  expect([200, 409]).toContain(done.status);
  await buyer.workFor('1m');
  return id;
}
