import { consumerLane, MINUTE } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { scopeOf } from '../checkout.js';
import { overStore } from '../../../../conformance/test/faults/over.js';

const CREATED = 'gate_session.created';

/** A process of the same installation with the function; `got` are the sessions it was called for. */
function knowing(t: TestGate, name = 'grant-value'): { readonly process: TestGate; readonly got: string[] } {
  const process = t.restart();
  const got: string[] = [];
  process.gate.on(CREATED, name, (event) => void got.push(String(event.data['id'])));
  return { process, got };
}

/** Deliveries to consumers, newest first. */
async function owed(t: TestGate) {
  const all = {
    status: null,
    eventType: null,
    eventId: null,
    target: null,
    sessionId: null,
    createdAfter: null,
    createdBefore: null,
  };
  const records = await t.store.list('delivery', scopeOf(t), all, { limit: 50, start: { kind: 'newest' } });
  return records.flatMap(({ delivery }) => (delivery.target === 'webhook' ? [] : [delivery]));
}

describe('an event is delivered to every registered consumer, whichever process commits it', () => {
  it('a process that never called gate.on', async () => {
    const t = await createTestGate();
    const { process, got } = knowing(t);
    await process.gate.start();
    const session = await t.restart().createSession();
    await process.clock.advance('1s');
    expect(got).toEqual([session.id]);
  });

  it('a process that has committed before the consumer was registered', async () => {
    const t = await createTestGate();
    await t.createSession();
    const { process, got } = knowing(t);
    await process.gate.start();
    const session = await t.createSession();
    await process.clock.advance('1s');
    expect(got).toEqual([session.id]);
  });

  it('a process that had decided, but not committed, when the consumer was registered', async () => {
    const t = await createTestGate();
    const { process, got } = knowing(t);
    let registers = async (): Promise<void> => process.gate.start();
    const committing = t.restart({
      store: {
        ...t.store,
        commit: async (change) => {
          const first = registers;
          registers = async () => undefined;
          await first();
          return t.store.commit(change);
        },
      },
    });
    const session = await committing.createSession();
    await process.clock.advance('1s');
    expect(got).toEqual([session.id]);
  });

  it('the registering process itself, before its gate is started', async () => {
    const t = await createTestGate();
    const { process, got } = knowing(t);
    const session = await process.createSession();
    await process.clock.advance('1s');
    expect(got).toEqual([session.id]);
  });

  it('even if the registering process died right afterwards', async () => {
    const t = await createTestGate();
    await t.store.registerConsumers([{ name: 'grant-value', type: CREATED }]);
    const session = await t.createSession();
    const { process, got } = knowing(t);
    await process.clock.advance('1s');
    expect(got).toEqual([session.id]);
  });

  it('and by an expiry found on a list, which commits several sessions at once', async () => {
    const t = await createTestGate();
    await t.createSession();
    await t.createSession();
    const process = t.restart();
    const got: string[] = [];
    process.gate.on('gate_session.expired', 'tidy-up', (event) => void got.push(event.type));
    await process.gate.start();
    await t.clock.advance('25h');
    await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
    await process.clock.advance('1s');
    expect(got).toHaveLength(2);
  });
});

describe('a worker without the function, as in a rolling deploy', () => {
  it('returns the delivery at once and uncounted for processes that have it, and runs all other due work', async () => {
    const t = await createTestGate();
    const { process, got } = knowing(t);
    await process.gate.start();
    const session = await t.createSession();
    let claims = 0;
    const ignorant = t.restart({
      store: overStore(t.store, {
        claim: { delivery: (request) => ((claims += 1), t.store.claim('delivery', request)) },
      }),
    });
    await ignorant.gate.runDue();
    expect(await owed(t)).toMatchObject([{ status: 'pending', attemptCount: 0, claims: 0, leaseToken: null }]);
    expect(t.deliveries().map(({ type }) => type)).toEqual([CREATED]);
    expect(claims, 'it looks once more after it did something, and then waits').toBeLessThan(10);
    await ignorant.clock.advance('1h');
    expect(got).toEqual([]);
    await process.gate.runDue();
    expect(got).toEqual([session.id]);
    expect(await owed(t)).toMatchObject([{ status: 'delivered', attemptCount: 1 }]);
  });

  it('returns uncounted a delivery that it has claimed nevertheless, as from a version with a single lane', async () => {
    const t = await createTestGate();
    const { process, got } = knowing(t);
    const oneLane = t.restart({
      store: {
        ...t.store,
        commit: (change) =>
          t.store.commit({
            ...change,
            deliveries: change.deliveries.map(({ row, when }) => ({ when, row: { ...row, lane: 'first' } })),
          }),
      },
    });
    await process.gate.start();
    await oneLane.createSession();
    await t.gate.runDue();
    expect(await owed(t)).toMatchObject([
      { status: 'pending', attemptCount: 0, claims: 0, lane: consumerLane({ name: 'grant-value', type: CREATED }) },
    ]);
    await process.gate.runDue();
    expect(got).toHaveLength(1);
  });

  it('raises an alarm once deliveries have waited for a minute, and again every ten minutes', async () => {
    const t = await createTestGate();
    await t.store.registerConsumers([{ name: 'grant-value', type: CREATED }]);
    await t.createSession();
    const alarmed: number[] = [];
    for (let minute = 0; minute <= 12; minute += 1) {
      await t.gate.runDue();
      if (t.telemetry.alarms.some(({ name }) => name === 'consumer_missing')) alarmed.push(minute);
      (t.telemetry.alarms as unknown[]).length = 0;
      await t.clock.advance(MINUTE);
    }
    expect(alarmed).toEqual([1, 11]);
  });

  it('names the consumer and its type in that alarm', async () => {
    const t = await createTestGate();
    await t.store.registerConsumers([{ name: 'grant-value', type: CREATED }]);
    await t.createSession();
    await t.clock.advance('2m');
    await t.gate.runDue();
    expect(t.telemetry.alarms).toEqual([
      { name: 'consumer_missing', fields: { consumer: 'grant-value', event_type: CREATED, overdue_ms: 2 * MINUTE } },
    ]);
  });
});

describe('a consumer that is removed', () => {
  it('receives no new deliveries, and existing ones are ended as they become due', async () => {
    const t = await createTestGate();
    const { process } = knowing(t);
    await process.gate.start();
    await t.createSession();
    await t.gate.admin.removeConsumer('grant-value');
    await process.createSession();
    expect(await owed(t)).toMatchObject([
      { status: 'dead_lettered', attemptCount: 0, lastError: 'endpoint_missing', dueAt: null },
    ]);
    expect(t.telemetry.alarms).toEqual([]);
  });

  it('has its retries ended by any worker', async () => {
    const t = await createTestGate();
    const failing = t.restart();
    failing.gate.on(CREATED, 'grant-value', () => {
      throw new Error('Not now.');
    });
    await failing.createSession();
    await failing.clock.advance('1s');
    await t.gate.admin.removeConsumer('grant-value');
    expect(await owed(t)).toMatchObject([{ status: 'retrying' }]);
    await t.clock.advance('2m');
    await t.gate.runDue();
    expect(await owed(t)).toMatchObject([{ status: 'dead_lettered', attemptCount: 1 }]);
  });

  it('is restored by the next process that registers it', async () => {
    const t = await createTestGate();
    await knowing(t).process.gate.start();
    await t.gate.admin.removeConsumer('grant-value');
    const { process, got } = knowing(t);
    await process.gate.start();
    await t.createSession();
    await process.clock.advance('1s');
    expect(got).toHaveLength(1);
  });
});

it('a name may be registered for several event types, each with its own function', async () => {
  const t = await createTestGate();
  const got: string[] = [];
  t.gate.on(CREATED, 'ledger', () => void got.push('created'));
  t.gate.on('gate_session.completed', 'ledger', () => void got.push('completed'));
  expect(() => t.gate.on(CREATED, 'ledger', () => undefined)).toThrow(
    'There is already a consumer named "ledger" for gate_session.created.',
  );
  const session = await t.createSession();
  await t.settle(session.id);
  await t.clock.advance('1d');
  expect(got).toEqual(['created', 'completed']);
});
