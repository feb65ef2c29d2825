import type { Change, Store } from '@gateramp/core/ports';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { inspection } from '@gateramp/extensions/inspection';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

const KEPT = { extensions: [inspection({ keepsRefusedRequests: true })] } as const;

type Asked = Pick<TestGate, 'request' | 'keys'> & { readonly ports: Pick<TestGate['ports'], 'ids'> };

const scopeOf = (t: Pick<TestGate, 'partner'>) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

async function refused(t: Asked, path: string, body: unknown = null) {
  const answer = await t.request(body === null ? 'GET' : 'POST', path, {
    key: t.keys.secret.test,
    ...(body === null ? {} : { body, idempotencyKey: t.ports.ids?.uuid() ?? 'once' }),
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  return answer.headers['x-request-id'] ?? '';
}

describe('refused requests', () => {
  it('are listed newest first, by object, and found by their ids', async () => {
    const t = await createTestGate(KEPT);
    const { refusedRequests } = t.gate.admin;
    const unknown = await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    const invalid = await refused(t, '/v1/gate_sessions', { amount: 'ten', currency: 'EUR' });
    const listed = await refusedRequests.list(scopeOf(t));
    expect(listed.map(({ requestId, code }) => [requestId, code])).toEqual([
      [invalid, 'validation_failed'],
      [unknown, 'session_not_found'],
    ]);
    expect(listed[0]).toMatchObject({ method: 'POST', route: '/v1/gate_sessions', objectId: null, status: 400 });
    const { fields = [], messages = [] } = listed[0] ?? {};
    expect(fields).toContain('amount');
    expect(messages).toHaveLength(fields.length);
    expect(messages[fields.indexOf('amount')]).toMatch(/^amount must /);
    expect(listed[1]?.messages).toEqual([]);
    const objectId = '0123456789abcdef01234567';
    expect((await refusedRequests.list(scopeOf(t), { objectId })).map((one) => one.requestId)).toEqual([unknown]);
    expect(await refusedRequests.list(scopeOf(t), { before: listed[0]?.id ?? '' })).toEqual([listed[1]]);
    expect(await refusedRequests.find(scopeOf(t), invalid)).toEqual(listed[0]);
    expect(await refusedRequests.find({ ...scopeOf(t), mode: 'live' }, invalid)).toBeNull();
  });

  it('are in every list that is read after the request, also while another one stores them', async () => {
    const inner = memoryStore();
    const commit = async (change: Change) => {
      await new Promise(setImmediate);
      return inner.commit(change);
    };
    const t = await createTestGate({ ...KEPT, ports: { store: { ...inner, commit } } });
    const id = await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    const lists = await Promise.all([1, 2, 3].map(() => t.gate.admin.refusedRequests.list(scopeOf(t))));
    expect(lists.map((rows) => rows.map(({ requestId }) => requestId))).toEqual([[id], [id], [id]]);
  });

  it('hold nothing of what was sent', async () => {
    const t = await createTestGate(KEPT);
    const pasted = { amount: '10.00', currency: 'EUR', [t.keys.secret.live]: 'x', metadata: { 'kept out': 1 } };
    await refused(t, '/v1/gate_sessions', pasted);
    const [row] = await t.gate.admin.refusedRequests.list(scopeOf(t));
    expect(row?.code).toBe('validation_failed');
    expect(JSON.stringify(row)).not.toContain(t.keys.secret.live);
    expect(JSON.stringify(row)).not.toContain('kept out');
  });

  it('say what is wrong with a body that is not JSON', async () => {
    const t = await createTestGate(KEPT);
    await refused(t, '/v1/gate_sessions', new TextEncoder().encode('{"amount": '));
    expect(await t.gate.admin.refusedRequests.list(scopeOf(t))).toMatchObject([
      { code: 'malformed_json', fields: [], messages: ['The body is not valid JSON.'] },
    ]);
  });

  it('end with their retention, also before they are deleted', async () => {
    const t = await createTestGate(KEPT);
    const id = await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    expect(await t.gate.admin.refusedRequests.find(scopeOf(t), id)).not.toBeNull();
    await t.gate.advanceTestClock(7 * 86_400_000 + 1_000);
    expect(await t.gate.admin.refusedRequests.list(scopeOf(t))).toEqual([]);
    expect(await t.gate.admin.refusedRequests.find(scopeOf(t), id)).toBeNull();
  });

  it('are at most 60 a minute, and are written together', async () => {
    const inner = memoryStore();
    let documents: readonly number[] = [];
    const store: Store = {
      ...inner,
      commit: async (change: Change) => {
        if (change.documents.length > 0) documents = [...documents, change.documents.length];
        return inner.commit(change);
      },
    };
    const t = await createTestGate({ ...KEPT, ports: { store } });
    for (let count = 0; count < 70; count += 1) await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    expect(await t.gate.admin.refusedRequests.list(scopeOf(t))).toHaveLength(60);
    expect(documents.reduce((sum, one) => sum + one, 0)).toBe(120);
    expect(documents.length).toBeLessThan(5);
  });

  it('are not kept by default, nor for a wrong key', async () => {
    const t = await createTestGate();
    await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    expect(await t.gate.admin.refusedRequests.list(scopeOf(t))).toEqual([]);
    const kept = await createTestGate(KEPT);
    const answer = await kept.request('GET', '/v1/gate_sessions', { key: `${kept.keys.secret.test.slice(0, -1)}!` });
    expect(answer.status).toBe(401);
    expect(await kept.gate.admin.refusedRequests.list(scopeOf(kept))).toEqual([]);
  });

  it('change no answer when they cannot be written', async () => {
    const inner = memoryStore();
    let isBroken = false;
    const store: Store = {
      ...inner,
      commit: async (change: Change) => {
        if (isBroken && change.documents.length > 0) throw new Error('The disk is full.');
        return inner.commit(change);
      },
    };
    const failures: unknown[] = [];
    const telemetry = {
      alarm: () => undefined,
      note: () => undefined,
      failure: (error: unknown) => failures.push(error),
    };
    const t = await createTestGate({ ...KEPT, ports: { store, telemetry } });
    isBroken = true;
    await refused(t, '/v1/gate_sessions/0123456789abcdef01234567');
    expect(await t.gate.admin.refusedRequests.list(scopeOf(t))).toEqual([]);
    expect(failures).toHaveLength(1);
  });
});
