import type { Store } from '@gateramp/core/ports';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
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
  const console = testConsole(gate, {
    authorize: (request) => {
      const [actor, role = 'admin'] = request.headers.get('x-actor')?.split('/') ?? [];
      return actor === undefined ? null : { actor, roles: [role as 'admin'], partners: 'all' };
    },
  });
  return { console, store, pass: (ms: number) => (now += ms) };
}

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
