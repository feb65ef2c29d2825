import { createTestGate, TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const TERMS = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/' };

interface Rows {
  readonly data: readonly { readonly id: string; readonly session_id?: string; readonly payment: string | null }[];
  readonly next?: string | null;
}

it('rows, headings and filters show the state of the payment, which the status does not', async () => {
  const { gate, request } = await createTestGate();
  const session = async (...scenarios: readonly string[]): Promise<string> => {
    const { id } = (await gate.sessions.create(SCOPE, TERMS))._unsafeUnwrap();
    for (const scenario of scenarios) {
      const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
      const done = await request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario } });
      expect(done.status, done.text).toBe(200);
    }
    return id;
  };
  const declined = [await session('decline'), await session('decline'), await session('decline')];
  const ids = {
    processing: await session('processing'),
    charged_back: await session('charged_back'),
    dispute_won: await session('charged_back', 'dispute_won'),
    completed: await session('succeed'),
  };
  const untouched = await session();
  const console = testConsole(gate);
  const cookie = await signedIn(console, TEST_PARTNER.id);
  // The cast holds by the schema of the endpoint.
  const read = async (path: string) => (await (await ask(console, path, { cookie })).json()) as Rows & Rows['data'][0];

  const payments = new Map((await read('/sessions')).data.map(({ id, payment }) => [id, payment]));
  expect(payments.get(untouched)).toBeNull();
  expect((await read('/overview')) as unknown).toMatchObject({
    recent: [{ id: untouched, payment: null }, {}, {}, {}, {}, {}, {}, {}],
  });
  const paid = new Map((await read('/transactions')).data.map((one) => [one.session_id, one.payment]));
  for (const [payment, id] of Object.entries(ids)) {
    expect(payments.get(id)).toBe(payment);
    expect(paid.get(id)).toBe(payment);
    expect((await read(`/sessions/${id}`)).payment).toBe(payment);
    expect(await read(`/session_payments?payment=${payment}`)).toMatchObject({ data: [{ id, payment }], next: null });
  }

  const first = await read('/session_payments?payment=declined&limit=2');
  expect(first.data.map(({ id }) => id)).toEqual([declined[2], declined[1]]);
  const second = await read(`/session_payments?payment=declined&limit=2&after=${first.next}`);
  expect(second).toMatchObject({ data: [{ id: declined[0] }], next: null });
  expect((await ask(console, '/session_payments?payment=gone', { cookie })).status).toBe(400);
});
