import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { ProviderTestWork } from '@gateramp/core/ports';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const LIFETIME = 24 * HOUR;
const PARTNERS = ['acme', 'bolt', 'core'] as const;
type PartnerId = (typeof PARTNERS)[number];

type Step =
  | { readonly do: 'create' | 'read'; readonly partner: PartnerId; readonly process: number }
  | { readonly do: 'advance'; readonly partner: PartnerId; readonly process: number; readonly hours: number }
  | { readonly do: 'pass'; readonly hours: number }
  | { readonly do: 'work'; readonly process: number };

const partner = fc.constantFrom(...PARTNERS);
const process = fc.nat(1);
const hours = fc.integer({ min: 1, max: 30 });
const STEPS = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('create', 'read'), partner, process }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('advance'), partner, process, hours }) },
    fc.record({ do: fc.constant('pass'), hours }),
    fc.record({ do: fc.constant('work'), process }),
  ),
  { minLength: 1, maxLength: 14 },
);

/** How many steps run at the same time. */
const WIDTH = fc.integer({ min: 1, max: 3 });

async function twoProcesses(): Promise<readonly [TestGate, TestGate]> {
  const first = await createTestGate({ policy: { testClock: 'partner', sessionLifetime: LIFETIME } });
  for (const id of PARTNERS) {
    await first.gate.admin.savePartner({ ...first.partner, id, name: id });
    const endpoint = { url: `https://shop.example/${id}`, secret: `whsec_00000000000000000000000${id}` };
    await first.gate.admin.setEndpoint({ partnerId: id, mode: 'test' }, endpoint);
  }
  return [first, first.restart()];
}

interface Known {
  readonly id: string;
  readonly expiresAt: number;
}

/** The model: each sandbox is at the time of its mode plus what its own partner has advanced. */
class Sandbox {
  ahead = 0;
  readonly sessions: Known[] = [];

  constructor(readonly partnerId: PartnerId) {}

  get scope() {
    return { partnerId: this.partnerId, mode: 'test' as const };
  }
}

it('whatever partners advance in two processes at once, each sandbox goes by its own time and its work runs once', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, WIDTH, async (steps, width) => {
      const processes = await twoProcesses();
      const [first] = processes;
      const sandboxes = new Map(PARTNERS.map((id) => [id, new Sandbox(id)]));
      const start = first.clock.now('test');
      let passed = 0;

      const run = async (step: Step): Promise<void> => {
        if (step.do === 'pass') {
          await first.clock.advanceTo(first.clock.now('test') + step.hours * HOUR);
          passed += step.hours * HOUR;
          return;
        }
        const { gate } = processes[step.process] ?? first;
        if (step.do === 'work') return gate.runDue();
        const sandbox = sandboxes.get(step.partner);
        if (sandbox === undefined) throw new Error('every partner has a sandbox');
        if (step.do === 'create') {
          const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
          const { id, expires_at: expiry } = (await gate.sessions.create(sandbox.scope, body))._unsafeUnwrap();
          sandbox.sessions.push({ id, expiresAt: Date.parse(expiry) });
        } else if (step.do === 'advance') {
          await gate.advanceTestClock(step.hours * HOUR, step.partner);
          sandbox.ahead += step.hours * HOUR;
        } else {
          for (const { id, expiresAt } of sandbox.sessions) {
            const before = gate.clock.now(sandbox.scope);
            const read = (await gate.sessions.retrieve(sandbox.scope, id))._unsafeUnwrap();
            // The process may see an advance of the other one at any moment of the call.
            const seen = read.status === 'expired' ? gate.clock.now(sandbox.scope) : before;
            expect(read.status === 'expired').toBe(seen > expiresAt);
          }
        }
      };
      // Steps of one partner never overlap: what two advances at once add up to is decided by the clock alone.
      const touched = (step: Step): string =>
        'partner' in step ? step.partner : step.do === 'pass' ? '*' : `work${step.process}`;
      for (let at = 0; at < steps.length;) {
        const batch: Step[] = [];
        for (const step of steps.slice(at, at + width)) {
          const names = batch.map(touched);
          if (names.includes(touched(step)) || names.includes('*') || (touched(step) === '*' && batch.length > 0))
            break;
          batch.push(step);
        }
        at += batch.length;
        await Promise.all(batch.map(run));
      }

      // Five seconds later every process has seen every advance.
      await first.clock.advanceTo(first.clock.now('test') + 5_000);
      for (const { gate } of processes) {
        await gate.runDue();
        await gate.runDue();
      }
      for (const { scope, ahead, sessions } of sandboxes.values()) {
        for (const { gate } of processes) expect(gate.clock.now(scope)).toBe(start + passed + 5_000 + ahead);
        for (const { id, expiresAt } of sessions) {
          const { status } = (await first.gate.sessions.retrieve(scope, id))._unsafeUnwrap();
          expect(status === 'expired').toBe(start + passed + 5_000 + ahead > expiresAt);
        }
      }
      await first.gate.runDue();
      const sent = first.deliveries().map(({ url, body }) => `${url} ${JSON.parse(body).id}`);
      expect(new Set(sent).size).toBe(sent.length);
      for (const { partnerId, sessions } of sandboxes.values()) {
        const created = first
          .deliveries()
          .filter((one) => one.url.endsWith(partnerId) && one.type === 'gate_session.created');
        expect(created.length).toBe(sessions.length);
      }
    }),
    {
      numRuns: 60,
      examples: [
        [
          [
            { do: 'create', partner: 'bolt', process: 0 },
            { do: 'advance', partner: 'bolt', process: 0, hours: 15 },
            { do: 'pass', hours: 10 },
            { do: 'read', partner: 'bolt', process: 1 },
          ],
          1,
        ],
      ],
    },
  );
});

it('a provider that cannot pause its work refuses an advance, and the work of the sandbox and of others continues', async () => {
  const paused = { pauses: 0, resumed: 0 };
  const work = { due: async () => [], run: async () => false };
  const pause = async () => {
    paused.pauses += 1;
    return () => void (paused.resumed += 1);
  };
  const failing = (): never => {
    throw new Error('This provider cannot pause.');
  };
  const sandbox = sandboxProvider();
  const providers = [pause, failing].map((one, nth) => ({
    ...sandbox,
    name: `provider${nth}`,
    testWork: { ...work, pause: one },
  }));
  const { gate, partner, receiver } = await createTestGate({ ports: { providers }, policy: { testClock: 'partner' } });
  await expect(gate.advanceTestClock(HOUR, partner.id)).rejects.toThrow('cannot pause');
  expect(paused).toEqual({ pauses: 1, resumed: 1 });
  await gate.webhooks.test({ partnerId: partner.id, mode: 'test' });
  await gate.runDue();
  expect(receiver.received).toHaveLength(1);
});

it('polls an unchanged operation again after a quarter of the time covered, and at the end of an advance (POLL_AGAIN_AFTER)', async () => {
  const polls: number[] = [];
  let dueAt = 0;
  const testWork: ProviderTestWork = {
    due: async () => [{ id: 'waiting', partnerId: partner.id, dueAt, what: 'confirm', attempts: 0 }],
    run: async (_, now) => {
      polls.push(now - start);
      dueAt = now + 5 * SECOND;
      return true;
    },
    pause: async () => () => undefined,
  };
  const providers = [{ ...sandboxProvider(), testWork }];
  const { gate, partner } = await createTestGate({ ports: { providers }, policy: { testClock: 'partner' } });
  const start = gate.clock.now({ partnerId: partner.id, mode: 'test' });
  dueAt = start + 5 * SECOND;
  await gate.advanceTestClock(60 * SECOND, partner.id);
  expect(polls).toEqual([5_000, 10_000, 15_000, 20_000, 25_000, 31_250, 39_063, 48_829, 60_000]);
});
