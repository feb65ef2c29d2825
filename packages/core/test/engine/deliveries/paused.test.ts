import { SECOND } from '@gateramp/core/domain';
import { createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { scopeOf } from '../checkout.js';

/** Far more than one claim takes. */
const MANY = 150;

const typesOf = (t: TestGate): readonly (string | undefined)[] =>
  t.receiver.received.map((webhook) => webhook.headers['x-svc-event-id']);

async function eventIds(t: TestGate): Promise<readonly string[]> {
  const rows = await t.store.list(
    'event',
    scopeOf(t),
    { type: null, sessionId: null, createdAfter: null, createdBefore: null },
    { limit: 1000, start: { kind: 'newest' } },
  );
  return rows.map(({ id }) => id).reverse();
}

describe('a paused endpoint', () => {
  it('receives nothing, counts no attempts, and gets everything in order once it is resumed', async () => {
    const t = await createTestGate();
    await t.gate.admin.pauseEndpoint(scopeOf(t));
    for (let nth = 0; nth < MANY; nth += 1) {
      await t.createSession();
      await t.clock.advance('1s');
    }
    await t.clock.advance('1d');
    expect(t.receiver.received).toEqual([]);
    const page = await t.request('GET', '/v1/webhooks/deliveries?limit=100', { key: t.keys.secret.test });
    expect(page.json['data']).toContainEqual(
      expect.objectContaining({
        event_type: 'gate_session.created',
        status: 'pending',
        attempt_count: 0,
        attempts: [],
      }),
    );
    expect(t.telemetry.alarms).toEqual([]);

    await t.gate.admin.resumeEndpoint(scopeOf(t));
    await t.gate.runDue();
    expect(typesOf(t)).toEqual(await eventIds(t));
  });

  it('shows the start of its pause on the webhook endpoint, whatever else is changed', async () => {
    const t = await createTestGate();
    const key = t.keys.secret.test;
    const endpoint = async () => (await t.request('GET', '/v1/webhooks/endpoint', { key })).json;
    await t.gate.admin.pauseEndpoint(scopeOf(t));
    const pausedAt = new Date(t.clock.now('test')).toISOString();
    await t.clock.advance('1h');
    await t.gate.admin.pauseEndpoint(scopeOf(t));
    await t.gate.admin.setEndpoint(scopeOf(t), { url: 'https://new.example/hooks', secret: null });
    await t.request('POST', '/v1/webhooks/secret/rotate', { key, body: {} });
    expect(await endpoint()).toMatchObject({ status: 'paused', paused_at: pausedAt, url: 'https://new.example/hooks' });
    await t.gate.admin.resumeEndpoint(scopeOf(t));
    expect(await endpoint()).toMatchObject({ status: 'healthy', paused_at: null });
  });

  it('continues its retries afterwards, with the attempts counted before', async () => {
    const t = await createTestGate();
    t.receiver.answerWith(() => REFUSED);
    await t.createSession();
    await t.gate.runDue();
    await t.gate.admin.pauseEndpoint(scopeOf(t));
    await t.clock.advance('10d');
    expect(t.receiver.received).toHaveLength(1);
    await t.gate.admin.resumeEndpoint(scopeOf(t));
    await t.clock.advance('1d');
    const page = await t.request('GET', '/v1/webhooks/deliveries?event_type=gate_session.created', {
      key: t.keys.secret.test,
    });
    expect(page.json['data']).toMatchObject([{ status: 'dead_lettered', attempt_count: 5 }]);
  });

  it('is found to be resumed by a process that was not notified', async () => {
    const t = await createTestGate();
    await t.gate.admin.pauseEndpoint(scopeOf(t));
    await t.createSession();
    await t.gate.runDue();
    const paused = await t.store.findEndpoint(scopeOf(t));
    if (paused === null) throw new Error('The test gate has an endpoint.');
    await t.store.save('endpoint', { ...paused, pausedAt: null });
    await t.clock.advance(5 * SECOND);
    await t.gate.runDue();
    expect(t.receiver.received).toHaveLength(1);
  });

  it("stays paused while its partner is, and the partner's pause outlasts that of the endpoint", async () => {
    const t = await createTestGate();
    const { admin } = t.gate;
    await admin.pausePartner(t.partner.id);
    await admin.pauseEndpoint(scopeOf(t));
    await t.createSession();
    await admin.resumeEndpoint(scopeOf(t));
    await t.gate.runDue();
    expect(t.receiver.received).toEqual([]);
    await admin.pauseEndpoint(scopeOf(t));
    await admin.resumePartner(t.partner.id);
    await t.gate.runDue();
    expect(t.receiver.received).toEqual([]);
    await admin.resumeEndpoint(scopeOf(t));
    await t.gate.runDue();
    expect(t.receiver.received).toHaveLength(1);
  });

  it('cannot be paused before it is set', async () => {
    const t = await createTestGate();
    await expect(t.gate.admin.pauseEndpoint({ partnerId: 'nobody', mode: 'test' })).rejects.toThrow(
      /no webhook endpoint/,
    );
  });
});
