import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { CALLS } from '../../src/gate/in-process.js';
import type { AnyEndpoint } from '../../src/http/endpoint.js';
import { ENGINE_ROUTES } from '../../src/http/endpoints.js';

it('every endpoint of the engine with a secret key has an in-process call', () => {
  const ofServers = ENGINE_ROUTES.endpoints.filter(({ auth }) => auth === 'secret' || auth === 'any_key');
  expect(namesIn(CALLS).toSorted()).toEqual(ofServers.map(({ name }) => name).toSorted());
});

function namesIn(table: object): readonly string[] {
  return Object.values(table).flatMap((member: object) =>
    'run' in member ? [(member as AnyEndpoint).name] : namesIn(member),
  );
}

// The compiler checks the expectations below: `npm run typecheck` fails where a line compiles.
it('an in-process call has the input of its endpoint, or does not compile', async () => {
  const { gate, partner } = await createTestGate();
  const caller = { partnerId: partner.id, mode: 'test' } as const;
  const body = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' };
  // @ts-expect-error an amount is text
  expect((await gate.sessions.create(caller, { ...body, amount: 1 })).isErr()).toBe(true);
  // @ts-expect-error a session needs its terms
  expect((await gate.sessions.create(caller)).isErr()).toBe(true);
  // @ts-expect-error there is no such status
  expect((await gate.sessions.list(caller, { status: 'lost' })).isErr()).toBe(true);
  // @ts-expect-error and its transaction
  expect((await gate.transactions.retrieve(caller)).isErr()).toBe(true);
});
