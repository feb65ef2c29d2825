import { describe, expect, it } from 'vitest';
import { createTestGate } from '@gateramp/testing';

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

describe('an idempotency key', () => {
  it('used twice in process returns the same session, including its secret', async () => {
    const t = await createTestGate();
    const caller = { partnerId: t.partner.id, mode: 'test' } as const;
    const create = () => t.gate.sessions.create(caller, BODY, { idempotencyKey: 'order-1' });
    const first = await create();
    expect(first.isOk()).toBe(true);
    expect(await create()).toEqual(first);
  });

  it('used both in process and over HTTP is 422 idempotency_key_mismatch', async () => {
    const t = await createTestGate();
    const caller = { partnerId: t.partner.id, mode: 'test' } as const;
    const inProcess = (idempotencyKey: string) => t.gate.sessions.create(caller, BODY, { idempotencyKey });
    const overHttp = (idempotencyKey: string) =>
      t.request('POST', '/v1/gate_sessions', { key: t.keys.secret.test, idempotencyKey, body: BODY });

    await inProcess('one');
    expect((await overHttp('one')).json).toMatchObject({ statusCode: 422, code: 'idempotency_key_mismatch' });
    await overHttp('two');
    expect((await inProcess('two'))._unsafeUnwrapErr().code).toBe('idempotency_key_mismatch');
  });
});
