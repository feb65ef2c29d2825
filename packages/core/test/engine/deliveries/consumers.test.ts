import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate, testDeadlines } from '@gateramp/testing';
import { scopeOf } from '../checkout.js';

const ALL = {
  status: null,
  eventType: null,
  eventId: null,
  target: null,
  sessionId: null,
  createdAfter: null,
  createdBefore: null,
};

describe('a consumer of gate.on', () => {
  it('receives each event of its type once, in addition to the webhook', async () => {
    const t = await createTestGate();
    const got: string[] = [];
    t.gate.on('gate_session.completed', 'grant-value', (event) => void got.push(String(event.data['id'])));
    const session = await t.createSession();
    await t.settle(session.id);
    await t.clock.advance('1d');
    expect(got).toEqual([session.id]);
    expect(t.deliveries().map((webhook) => webhook.type)).toContain('gate_session.completed');
  });

  it('is independent of other consumers of its type: each receives every event', async () => {
    const t = await createTestGate();
    const got: string[] = [];
    t.gate.on('gate_session.created', 'ledger', () => void got.push('ledger'));
    t.gate.on('gate_session.created', 'mailer', () => void got.push('mailer'));
    await t.createSession();
    await t.clock.advance('1m');
    expect(got.sort()).toEqual(['ledger', 'mailer']);
  });

  it('that throws is called again on the retry schedule of webhooks, with the same event', async () => {
    const t = await createTestGate();
    const ids: string[] = [];
    t.gate.on('gate_session.created', 'shaky', (event) => {
      ids.push(event.id);
      if (ids.length < 3) throw new Error('Not yet.');
    });
    await t.createSession();
    await t.clock.advance('5m');
    expect(ids).toHaveLength(2);
    await t.clock.advance('1d');
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  it('that never resolves times out like an attempt and is called again', async () => {
    const deadlines = testDeadlines();
    const t = await createTestGate({ ports: { deadlines } });
    let calls = 0;
    t.gate.on('gate_session.created', 'stuck', () =>
      (calls += 1) === 1 ? new Promise<never>(() => undefined) : undefined,
    );
    await t.createSession();
    const ran = t.gate.runDue();
    while (deadlines.waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(deadlines.waiting).toEqual([t.gate.policy.attemptTimeout]);
    deadlines.expire();
    await ran;
    expect(await outcome(t)).toMatchObject({ status: 'retrying', lastError: 'timeout' });
    await t.clock.advance('1m');
    expect(await outcome(t)).toMatchObject({ status: 'delivered', attemptCount: 2 });
  });

  it('that this process does not have receives its event, uncounted until then, from a process that does', async () => {
    const t = await createTestGate();
    t.gate.on('gate_session.created', 'elsewhere', () => undefined);
    await t.createSession();
    const ignorant = t.restart();
    await ignorant.clock.advance('2m');
    expect(await outcome(t)).toMatchObject({ status: 'pending', attemptCount: 0, claims: 0 });
    const got: string[] = [];
    const knowing = t.restart();
    knowing.gate.on('gate_session.created', 'elsewhere', (event) => void got.push(event.type));
    await knowing.clock.advance('1d');
    expect(got).toEqual(['gate_session.created']);
    expect(await outcome(t)).toMatchObject({ status: 'delivered' });
  });
});

/** The delivery to the consumer. */
async function outcome(t: TestGate) {
  const records = await t.store.list('delivery', scopeOf(t), ALL, { limit: 10, start: { kind: 'newest' } });
  return records.find(({ delivery }) => delivery.target !== 'webhook')?.delivery;
}
