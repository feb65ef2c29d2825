import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { GatePorts } from '@gateramp/core';
import type { ProviderTestWork } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

const never = (): Promise<never> => new Promise(() => undefined);

/** A process whose waits end when the test says so. */
function hanging(t: TestGate, ports: Partial<GatePorts>) {
  const deadlines = testDeadlines();
  const { gate } = t.restart({ deadlines, ...ports });
  const expire = async (limitMs: number) => {
    await expect.poll(() => deadlines.waiting).toContain(limitMs);
    deadlines.expire();
  };
  return { gate, expire };
}

const SCHEDULER = { wake: () => undefined, start: async () => undefined, close: async () => undefined };

it('start rejects when the scheduler does not start, and nothing is claimed', async () => {
  const t = await createTestGate();
  let onDue = async () => undefined as void;
  const start = (given: () => Promise<void>) => ((onDue = given), never());
  const { gate, expire } = hanging(t, { scheduler: { ...SCHEDULER, start } });
  await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' });
  const started = gate.start().catch(String);
  await expire(30_000);
  expect(await started).toBe('Error: The scheduler did not start within 30 s.');
  await onDue();
  expect(gate.leasesHeld()).toBe(0);
});

it('stop ends within its limit when the scheduler does not close, and reports it', async () => {
  const t = await createTestGate();
  const { gate, expire } = hanging(t, { scheduler: { ...SCHEDULER, close: never } });
  await gate.start();
  const stopped = gate.stop(5_000);
  await expire(6_000);
  await stopped;
  expect(t.telemetry.failures).toMatchObject([
    { error: { message: 'The scheduler did not close within 6 s.' }, fields: { place: 'stop' } },
  ]);
});

const IDLE: ProviderTestWork = { due: async () => [], run: async () => true, pause: async () => () => undefined };
const DUE = { id: 'op', dueAt: 0, what: 'capture', attempts: 0 };

it.each<[keyof ProviderTestWork, (partnerId: string) => Partial<ProviderTestWork>]>([
  ['pause', () => ({ pause: never })],
  ['due', () => ({ due: never })],
  ['run', (partnerId) => ({ run: never, due: async () => [{ ...DUE, partnerId }] })],
])('an advance fails when %s of a provider does not settle, and the next one runs', async (member, changesOf) => {
  const t = await createTestGate();
  let testWork = { ...IDLE, ...changesOf(t.partner.id) };
  const work: ProviderTestWork = {
    due: (query) => testWork.due(query),
    run: (id, now) => testWork.run(id, now),
    pause: (partnerId) => testWork.pause(partnerId),
  };
  const { gate, expire } = hanging(t, { providers: [{ ...sandboxProvider({ ledger: t.ledger }), testWork: work }] });
  const advanced = gate.advanceTestClock(1_000).catch(String);
  await expire(60_000);
  expect(await advanced).toBe(`Error: testWork.${member} of provider sandbox did not settle within 60 s.`);
  testWork = IDLE;
  expect(await gate.advanceTestClock(1_000)).toMatchObject({ fired: [] });
});

it('a pause that a provider grants too late is ended at once', async () => {
  const t = await createTestGate();
  let grant = (_resume: () => void): void => undefined;
  let resumed = 0;
  const pause = () => new Promise<() => void>((resolve) => (grant = resolve));
  const testWork = { ...IDLE, pause };
  const { gate, expire } = hanging(t, { providers: [{ ...sandboxProvider({ ledger: t.ledger }), testWork }] });
  const advanced = gate.advanceTestClock(1_000).catch(String);
  await expire(60_000);
  await advanced;
  grant(() => (resumed += 1));
  await expect.poll(() => resumed).toBe(1);
});
