import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate, type Gate, type GatePorts } from '@gateramp/core';
import { SECOND } from '@gateramp/core/domain';
import { manualClock, systemClock } from '@gateramp/core/runtime';
import { createTestGate, stillScheduler, TEST_PARTNER, testTelemetry, type TestGate } from '@gateramp/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const CALLER = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;

describe('a host without its own telemetry', () => {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => (written.push(String(chunk)), true));
  });
  afterEach(() => vi.restoreAllMocks());

  async function aGate(ports: Partial<GatePorts> = {}): Promise<Gate> {
    const made = {
      store: memoryStore(),
      scheduler: inProcessScheduler(),
      limits: memoryRateLimits(),
      providers: [],
      ...ports,
    };
    const gate = createGate(made);
    await gate.admin.savePartner(TEST_PARTNER);
    return gate;
  }

  it('sees the error and location of a throwing consumer on stderr', async () => {
    const gate = await aGate();
    gate.on('gate_session.created', 'grant-value', () => {
      throw new Error('No such order.');
    });
    await gate.sessions.create(CALLER, BODY);
    await gate.runDue();
    expect(written).toEqual([
      expect.stringMatching(
        /^gateramp: failure partner_id=[0-9a-f]{24} mode=test consumer=grant-value event_id=[0-9a-f-]+: Error: No such order\. at .*never-silent\.test\.ts.*\n$/,
      ),
    ]);
  });

  it('sees a 500 on stderr, with the request id of the response', async () => {
    const store = { ...memoryStore(), findKey: async () => Promise.reject(new Error('A bug.')) };
    const gate = await aGate({ store });
    const headers = { authorization: 'Bearer sk_test_0000000000000000testsecret' };
    const answer = await gate.fetch(new Request('https://gate.example/v1/gate_sessions', { headers }), {
      mode: 'test',
      clientIp: '203.0.113.7',
    });
    expect(answer.status).toBe(500);
    expect(written).toEqual([expect.stringContaining(`request_id=${answer.headers.get('x-request-id')}`)]);
    expect(written[0]).toContain('A bug.');
  });

  it('sees a webhook with a blocked destination on stderr', async () => {
    const gate = await aGate();
    await gate.admin.setEndpoint(CALLER, {
      url: 'https://127.0.0.1/hooks',
      secret: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtMTIzNA',
    });
    await gate.sessions.create(CALLER, BODY);
    await gate.runDue();
    expect(written).toEqual([
      expect.stringMatching(/^gateramp: webhook not sent, its destination is not a public address /),
    ]);
    await gate.stop();
  });
});

it('createTestGate writes nothing, even on failures', async () => {
  const write = vi.spyOn(process.stderr, 'write');
  const t = await createTestGate();
  t.gate.on('gate_session.created', 'grant-value', () => {
    throw new Error('Not now.');
  });
  await t.createSession();
  await t.clock.advance('1d');
  expect(write).not.toHaveBeenCalled();
  expect(t.telemetry.failures).not.toHaveLength(0);
  write.mockRestore();
});

describe('a gate that was never started', () => {
  /** A process that is not started yet, on a clock of the test. */
  async function aProcess(t: TestGate, ports: Partial<GatePorts> = {}) {
    const clock = manualClock(t.clock.wall());
    const telemetry = testTelemetry();
    const { testClock: _, ...others } = t.ports;
    const gate = createGate({ ...others, clock, telemetry, ...ports });
    const pass = (seconds: number): Promise<void> => clock.advanceTo(clock.wall() + seconds * SECOND);
    const after = async (seconds: number): Promise<void> => {
      await pass(seconds);
      (await gate.sessions.create(CALLER, BODY))._unsafeUnwrap();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { gate, pass, after, alarms: telemetry.alarms };
  }

  it('reports once that work is overdue, after some seconds of commits', async () => {
    const { after, alarms } = await aProcess(await createTestGate());
    await after(0);
    await after(9);
    expect(alarms).toEqual([]);
    await after(11);
    expect(alarms).toEqual([{ name: 'work_overdue', fields: { overdue_ms: 20 * SECOND } }]);
    for (let nth = 0; nth < 5; nth += 1) await after(60);
    expect(alarms).toHaveLength(1);
  });

  it('reports it without further requests, as after a single session whose creator waits for a webhook', async () => {
    const t = await createTestGate();
    const telemetry = testTelemetry();
    const { testClock: _, ...others } = t.ports;
    const gate = createGate({ ...others, clock: systemClock(), telemetry }, { overdueAlarmAfter: 20 });
    (await gate.sessions.create(CALLER, BODY))._unsafeUnwrap();
    await expect.poll(() => telemetry.alarms.map(({ name }) => name)).toEqual(['work_overdue']);
  });

  it('reports it also when it only reads, like a host that waits for a webhook', async () => {
    const { gate, pass, after, alarms } = await aProcess(await createTestGate());
    await after(0);
    await pass(20);
    await gate.fetch(new Request('https://gate.example/v1/gate_sessions'), { mode: 'test', clientIp: '203.0.113.7' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(alarms).toHaveLength(1);
  });

  it('reports nothing while other workers run the work', async () => {
    const t = await createTestGate();
    const { after, alarms } = await aProcess(t);
    for (let nth = 0; nth < 5; nth += 1) {
      await after(20);
      await t.clock.advanceTo(t.clock.wall() + 20 * SECOND);
      await t.gate.runDue();
    }
    expect(alarms).toEqual([]);
  });

  it('does not report events for consumers of other processes, which working processes report', async () => {
    const t = await createTestGate();
    await t.store.registerConsumers([{ name: 'grant-value', type: 'gate_session.created' }]);
    const { after, alarms } = await aProcess(t);
    for (let nth = 0; nth < 5; nth += 1) {
      await after(20);
      await t.clock.advanceTo(t.clock.wall() + 20 * SECOND);
      await t.gate.runDue();
    }
    expect(alarms).toEqual([]);
  });

  it('reports events for its own consumer, also of a partner without webhooks', async () => {
    const t = await createTestGate();
    await t.gate.admin.setEndpoint(CALLER, { url: null, secret: null });
    const { gate, after, alarms } = await aProcess(t);
    gate.on('gate_session.created', 'grant-value', () => undefined);
    await after(0);
    await after(20);
    expect(alarms).toMatchObject([{ name: 'work_overdue' }]);
  });

  it('reports nothing once it was started, or if its host runs it periodically', async () => {
    for (const work of ['start', 'runDue'] as const) {
      const { gate, after, alarms } = await aProcess(await createTestGate(), { scheduler: stillScheduler() });
      await gate[work]();
      for (let nth = 0; nth < 4; nth += 1) await after(20);
      expect(alarms, work).toEqual([]);
      await gate.stop();
    }
  });
});
