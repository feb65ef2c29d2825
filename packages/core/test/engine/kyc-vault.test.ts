import { memoryKycVault } from '@gateramp/adapters-store-memory';
import { DEFAULT_POLICY } from '@gateramp/core';
import { DAY } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

/** A session whose buyer was verified by its partner. */
function vouched(t: TestGate) {
  return t.createSession({ kyc_package: { provider: 'acme', name: 'Ada' } });
}

describe('a kyc_package is stored while its session is open, and', () => {
  const endings: Readonly<Record<string, (t: TestGate, id: string) => Promise<unknown>>> = {
    cancelled: (t, id) => t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test }),
    completed: async (t, id) => {
      await t.settle(id);
      await t.clock.advance('5m');
    },
    expired: async (t, id) => {
      await t.clock.advance('25h');
      await t.retrieveSession(id);
    },
  };

  it.each(Object.entries(endings))('deleted once it is %s', async (status, end) => {
    const t = await createTestGate();
    const { id } = await vouched(t);
    expect(t.vault.find(id)?.body).toContain('Ada');
    await end(t, id);
    expect((await t.retrieveSession(id)).status).toBe(status);
    expect(t.vault.find(id)).toBeNull();
  });

  it('deleted with every expired session of a list', async () => {
    const t = await createTestGate();
    const sessions = [await vouched(t), await vouched(t)];
    await t.clock.advance('25h');
    await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
    expect(sessions.map(({ id }) => t.vault.find(id))).toEqual([null, null]);
  });

  it('swept by a worker after seven days at most, if a crash prevented its deletion', async () => {
    const t = await createTestGate();
    const { id } = await vouched(t);
    const dying = t.restart({ vault: { ...t.vault, forget: () => new Promise(() => undefined) } });
    await dying.gate.sessions.cancel({ partnerId: t.partner.id, mode: 'test' }, id);
    await t.clock.advance(DEFAULT_POLICY.kycRetention - DAY);
    await t.gate.runDue();
    expect(t.vault.find(id)).not.toBeNull();
    await t.clock.advance('1d');
    await t.gate.runDue();
    expect(t.vault.find(id)).toBeNull();
  });

  it('no response waits for the vault or fails because of it: operators get a report', async () => {
    const t = await createTestGate();
    const { id } = await vouched(t);
    const broken = t.restart({
      vault: { ...t.vault, forget: async () => Promise.reject(new Error('The vault is closed.')) },
    });
    expect((await broken.gate.sessions.cancel({ partnerId: t.partner.id, mode: 'test' }, id)).isOk()).toBe(true);
    expect(t.telemetry.failures).toMatchObject([{ fields: { place: 'kyc vault', session_id: id } }]);
  });

  it('nor if it throws synchronously', async () => {
    const t = await createTestGate();
    const { id } = await vouched(t);
    const throwing = (): never => {
      throw new Error('The vault is closed.');
    };
    const broken = t.restart({ vault: { ...t.vault, forget: throwing } });
    expect((await broken.gate.sessions.cancel({ partnerId: t.partner.id, mode: 'test' }, id)).isOk()).toBe(true);
    expect(t.telemetry.failures).toMatchObject([{ fields: { place: 'kyc vault', session_id: id } }]);
  });

  it('a vault whose sweep fails does not prevent deletions in the store, in either mode', async () => {
    const t = await createTestGate();
    const reaped: string[] = [];
    const broken = t.restart({
      vault: { ...t.vault, sweep: async () => Promise.reject(new Error('The vault is closed.')) },
      store: { ...t.store, reap: (request) => (reaped.push(request.mode), t.store.reap(request)) },
    });
    await broken.gate.runDue();
    expect(reaped).toEqual(['test', 'live']);
    expect(t.telemetry.failures).toMatchObject([{ fields: { place: 'reaper' } }]);
  });

  it('deleted with a session that was given up after repeated concurrent changes', async () => {
    const t = await createTestGate();
    const ids: string[] = [];
    const contended = t.restart({
      vault: { ...t.vault, store: (entry) => (ids.push(entry.sessionId), t.vault.store(entry)) },
      store: { ...t.store, commit: async () => ({ kind: 'stale' }) },
    });
    await expect(vouched(contended)).rejects.toThrow('try again');
    expect(ids.map((id) => t.vault.find(id))).toEqual([null]);
  });

  it('refused with 503, without creating a session, when the vault is full', async () => {
    const t = await createTestGate({ ports: { vault: memoryKycVault({ packagesMax: 1 }) } });
    await vouched(t);
    const body = {
      amount: '1.00',
      currency: 'EUR',
      return_url: 'https://shop.example/done',
      kyc_package: { provider: 'acme' },
    };
    const refused = await t.request('POST', '/v1/gate_sessions', {
      key: t.keys.secret.test,
      idempotencyKey: 'k',
      body,
    });
    expect([refused.status, refused.json['code']]).toEqual([503, 'service_unavailable']);
    const listed = await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
    expect(listed.json['data']).toHaveLength(1);
  });
});
