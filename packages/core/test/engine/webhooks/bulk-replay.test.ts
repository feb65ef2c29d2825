import type { Administration } from '@gateramp/core';
import { systemDeadlines } from '@gateramp/core/runtime';
import { ACCEPTED, createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../tests/depth.js';
import { crashAt } from '../crash/crash-at.js';
import { DELIVERIES, deadLettered, partnerTools, rowsOf } from './partner-tools.js';

type ReplayOrder = NonNullable<Parameters<Administration['replayDeliveries']>[1]>;

type Row = Readonly<Record<string, unknown>>;

const scopeOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' as const });

async function rows(t: TestGate): Promise<readonly Row[]> {
  return rowsOf((await t.request('GET', `${DELIVERIES}?limit=100`, { key: t.keys.secret.test })).json);
}

/** Dead webhooks of two types: `sessions` of one, `tests` of the other. */
async function deadOfBothTypes(t: TestGate, sessions: number, tests: number): Promise<void> {
  t.receiver.answerWith(() => REFUSED);
  for (let nth = 0; nth < sessions; nth += 1) await t.createSession();
  for (let nth = 0; nth < tests; nth += 1)
    await t.request('POST', '/v1/webhooks/test', { key: t.keys.secret.test, idempotencyKey: `test-${nth}` });
  await t.clock.advance('4h');
  t.receiver.clear();
  t.receiver.answerWith(() => ACCEPTED);
}

describe('gate.admin.replayDeliveries', () => {
  it('sends the dead-lettered webhooks of some types and a time again, and counts them first', async () => {
    const { t } = await partnerTools();
    await deadOfBothTypes(t, 2, 1);
    const replay = (order: ReplayOrder) => t.gate.admin.replayDeliveries(scopeOf(t), order);
    const createdBefore = t.clock.now('test') - 60_000;
    expect(await replay({ isDryRun: true })).toEqual({ 'gate_session.created': 2, 'webhook.test': 1 });
    expect(await replay({ isDryRun: true, createdAfter: createdBefore })).toEqual({});
    expect(await replay({ eventTypes: ['webhook.test'], createdBefore })).toEqual({ 'webhook.test': 1 });
    await t.gate.runDue();
    expect(t.receiver.received.map(({ type }) => type)).toEqual(['webhook.test']);
    expect(await replay({ isDryRun: true })).toEqual({ 'gate_session.created': 2 });
    expect(await t.gate.admin.replayDeliveries({ ...scopeOf(t), mode: 'live' })).toEqual({});
  });

  it('queues as many per second as it may, and tells how far it is', async () => {
    const rests: number[] = [];
    const deadlines = { ...systemDeadlines(), rest: async (ms: number) => void rests.push(ms) };
    const { t } = await partnerTools({ ports: { deadlines } });
    await deadLettered(t, 5);
    rests.length = 0;
    const progress: number[] = [];
    const onProgress = (counts: Readonly<Record<string, number>>) =>
      void progress.push(counts['gate_session.created'] ?? 0);
    await t.gate.admin.replayDeliveries(scopeOf(t), { perSecond: 2, onProgress });
    expect([progress, rests]).toEqual([
      [2, 4, 5],
      [1_000, 1_000],
    ]);
  });

  it('leaves alone what is dead-lettered again since the replay began', async () => {
    const { t } = await partnerTools();
    await deadLettered(t);
    const deadBefore = t.clock.now('test') + 1;
    const replay = () => t.gate.admin.replayDeliveries(scopeOf(t), { deadBefore });
    expect(await replay()).toEqual({ 'gate_session.created': 1 });
    await t.clock.advance('4h');
    expect((await rows(t)).map(({ status }) => status)).toEqual(['dead_lettered']);
    expect(await replay()).toEqual({});
  });

  it('refuses what it cannot read, and an endpoint without a URL', async () => {
    const t = await createTestGate();
    const order = { eventTypes: [], perSecond: 0, createdAfter: 'now', limit: 1 } as unknown as ReplayOrder;
    await expect(t.gate.admin.replayDeliveries(scopeOf(t), order)).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^eventTypes must be a list of event types/),
        expect.stringMatching(/^createdAfter must be an instant/),
        expect.stringMatching(/^perSecond must be a whole number from 1 to 500/),
        expect.stringMatching(/^limit is not a field/),
      ],
    });
    expect(await t.gate.admin.replayDeliveries(scopeOf(t), { createdAfter: 0 })).toEqual({});
    await t.gate.admin.setEndpoint(scopeOf(t), { url: null, secret: null });
    await expect(t.gate.admin.replayDeliveries(scopeOf(t))).rejects.toThrow('has no webhook endpoint');
  });

  it('queues each delivery once, however many replays run and wherever the process dies, and delays no new event', async () => {
    const histories = fc.record({
      sessions: fc.integer({ min: 1, max: 5 }),
      tests: fc.integer({ min: 0, max: 3 }),
      eventTypes: fc.constantFrom(
        undefined,
        ['webhook.test'],
        ['gate_session.created'],
        ['webhook.test', 'kyc.required'],
      ),
      perSecond: fc.integer({ min: 1, max: 4 }),
      dies: fc.integer({ min: 1, max: 14 }),
      timing: fc.constantFrom('before', 'after'),
      meanwhile: fc.array(fc.constantFrom('work', 'create', 'replay'), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ sessions, tests, eventTypes, perSecond, dies, timing, meanwhile }) => {
        const t = await createTestGate();
        await deadOfBothTypes(t, sessions, tests);
        const isSelected = ({ event_type: type }: Row) => eventTypes?.some((one) => one === type) ?? true;
        const selected = (await rows(t)).filter(isSelected).map(({ event_id: id }) => String(id));
        const deadBefore = t.clock.now('test') + 1;
        const order: ReplayOrder = {
          ...(eventTypes === undefined ? {} : { eventTypes }),
          perSecond,
          deadBefore,
        };
        const replay = (process: TestGate) => process.gate.admin.replayDeliveries(scopeOf(t), order);

        const mortal = crashAt(dies, timing, t.ports);
        const first = replay(t.restart(mortal.ports));
        const other = t.restart();
        let created = 0;
        for (const act of meanwhile) {
          if (act === 'work') await other.gate.runDue();
          if (act === 'replay') await replay(other);
          if (act === 'create') created += (await other.createSession()) === null ? 0 : 1;
        }
        await Promise.race([first, mortal.died]);
        await replay(other);
        expect(await other.gate.admin.replayDeliveries(scopeOf(t), { ...order, isDryRun: true })).toEqual({});
        await other.gate.runDue();

        const received = t.receiver.received.map(({ id }) => id);
        expect(new Set(received).size).toBe(received.length);
        expect(selected.every((id) => received.includes(id))).toBe(true);
        expect(received.length).toBe(selected.length + created);
        for (const row of await rows(other)) {
          const isReplayed = selected.includes(String(row['event_id']));
          const isNew = Date.parse(String(row['created_at'])) >= deadBefore - 1;
          expect([row['status'], row['replay_count']]).toEqual(
            isReplayed ? ['delivered', 1] : isNew ? ['delivered', 0] : ['dead_lettered', 0],
          );
        }
      }),
      { numRuns: runs(60, 600) },
    );
  });
});
