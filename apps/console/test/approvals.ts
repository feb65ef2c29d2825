import type { Mode } from '@gateramp/core';
import type { Store } from '@gateramp/core/ports';
import { createTestGate, type TestGate, TEST_PARTNER, TEST_WIDGET_ORIGINS } from '@gateramp/testing';
import type { Gate } from '../src/server/gate.js';
import { expect } from 'vitest';
import { ask, type TestConsole, testConsole } from './console.js';

export const POOL = { id: 'usdc-eur', asset: 'USDC', network: 'ethereum', currency: 'EUR', spreadBps: 10, feeBps: 5 };

/** The members of an approval that the tests read. */
export interface Approval {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly change: object;
  readonly can: { readonly approve: boolean; readonly decline: boolean; readonly collect: boolean };
}

/** A console in live mode whose time the test moves. A header identifies operators. */
export async function liveConsole(ports: { readonly store?: Store } = {}) {
  let now = Date.UTC(2030, 0, 1);
  const clock = { now: () => now, wall: () => now, advanceTo: async () => undefined };
  const { gate, store } = await createTestGate({ ports: { ...ports, testClock: clock } });
  await gate.admin.savePool(TEST_PARTNER.id, POOL);
  return { console: operatedConsole(gate), admin: gate.admin, store, pass: (ms: number) => (now += ms) };
}

function operatedConsole(gate: Gate): TestConsole {
  return testConsole(gate, {
    authorize: (request) => {
      const [actor, role = 'admin'] = request.headers.get('x-actor')?.split('/') ?? [];
      return actor === undefined ? null : { actor, roles: [role as 'admin'], partners: 'all' };
    },
  });
}

/** The same console, and a completed card payment of 100.00 EUR. */
export async function paidConsole(mode: Mode) {
  const test = await createTestGate();
  const refid = await payByCard(test, mode);
  return { test, refid, console: operatedConsole(test.gate) };
}

/** Returns the `refid` of a completed payment of 100.00 EUR. */
export async function payByCard(test: TestGate, mode: Mode): Promise<string> {
  const terms = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  const session = (await test.gate.sessions.create({ partnerId: TEST_PARTNER.id, mode }, terms))._unsafeUnwrap();
  const bootstrap = await test.request('POST', '/v1/embed/bootstrap', {
    mode,
    key: test.keys.publishable[mode],
    headers: { origin: 'https://shop.example' },
    body: { clientSecret: session.client_secret },
  });
  const card = { card_number: '4242424242424242', expiry: '12/50', cvc: '123' };
  const attempt = { flow: 'on_ramp', target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
  const paid = await test.request('POST', '/v1/embed/intents', {
    mode,
    headers: { 'x-embed-token': String(bootstrap.json['embed_token']), origin: TEST_WIDGET_ORIGINS[mode] },
    body: { ...attempt, amount: '100.00', currency: 'EUR', payment_method: 'card', payment_details: card },
  });
  expect(paid.status, paid.text).toBe(201);
  await test.clock.advanceTo(test.clock.now(mode) + 60_000);
  await test.gate.runDue();
  return String(paid.json['tx_refid']);
}

const WALLET = '0x00000000000000000000000000000000000000aa';

export const as = (actor: string) => ({ headers: { 'x-actor': actor } });
export const LIVE = `partner=${TEST_PARTNER.id}&mode=live`;

export async function requested(console: TestConsole, actor: string, path = `/keys?${LIVE}`, body: object = KEY) {
  const answer = await ask(console, path, { method: 'POST', body: { ...body, reason: 'ticket 7' }, ...as(actor) });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Approval;
}

export const KEY = { type: 'secret', scopes: ['events:read'] };
export const MOVEMENT = { currency: 'EUR', amount: '500.00', reference: 'bank-1' };
export const MOVES = `/partners/${TEST_PARTNER.id}/pools/${POOL.id}/movements`;

export const decide = (console: TestConsole, verb: string, { id, digest }: Approval, actor: string) =>
  ask(console, `/approvals/${id}/${verb}`, {
    method: 'POST',
    body: verb === 'approve' ? { digest } : verb === 'decline' ? { reason: 'no' } : {},
    ...as(actor),
  });

export const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { code?: unknown }).code;

export const keysOf = async ({ gate }: TestConsole) =>
  (await gate.admin.listKeys(TEST_PARTNER.id)).filter(({ key }) => key.mode === 'live').length;
