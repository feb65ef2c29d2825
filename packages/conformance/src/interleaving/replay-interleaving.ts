import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Store } from '@gateramp/core/ports';
import { ACCEPTED, createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import type { Law } from '../law.js';
import { withStore } from '../store/store-subject.js';
import type { InterleavingSubject } from './interleaving-laws.js';
import { parkedPorts } from './parked-ports.js';
import { chanceFrom, Turns } from './turns.js';

const PARTS = ['replay', 'replay all', 'worker', 'rotation', 'crash'] as const;

interface Role {
  readonly part: (typeof PARTS)[number];
  readonly process: 'A' | 'B';
  readonly hesitation: number;
}

/** Concurrent actions on one dead-lettered delivery, in an order that the seed alone decides. */
interface ReplayTrial {
  readonly roles: readonly Role[];
  readonly isRefused: boolean;
  readonly seed: number;
}

const role = fc.record({
  part: fc.constantFrom(...PARTS),
  process: fc.constantFrom('A' as const, 'B' as const),
  hesitation: fc.nat(12),
});

const trials: fc.Arbitrary<ReplayTrial> = fc.record({
  roles: fc.array(role, { minLength: 3, maxLength: 6 }),
  isRefused: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
});

/** Guarantees about a dead-lettered delivery that several clients replay, for every interleaving of calls, and if a process crashes. */
export const replayInterleaving: readonly Law<InterleavingSubject>[] = [
  {
    topic: 'calls that interleave at every port call',
    title:
      'send a replay with its own bytes, one attempt at a time, and lose none, despite concurrent replays, workers, rotations and crashes',
    async run(subject) {
      await fc.assert(
        fc.asyncProperty(trials, (trial) => withStore(subject, (store) => playReplays(store, trial))),
        { numRuns: subject.interleavings ?? 200, ...(subject.seed === undefined ? {} : { seed: subject.seed }) },
      );
    },
  },
];

async function playReplays(store: Store, { roles, isRefused, seed }: ReplayTrial): Promise<void> {
  const still = await createTestGate({ ports: { store }, seed: `replays/${seed}` });
  const id = await aDeadLettered(still);
  const [first] = still.receiver.received;
  const before = still.receiver.received.length;
  still.receiver.answerWith(() => (isRefused ? REFUSED : ACCEPTED));
  const turns = new Turns(chanceFrom(seed));
  const processes = {
    A: still.restart(parkedPorts(turns, 'A', still.ports)),
    B: still.restart(parkedPorts(turns, 'B', still.ports)),
  };
  const counts = { replayed: 0 };
  try {
    await turns.run(
      roles.map(({ part, process, hesitation }, nth) => ({
        name: `${part} ${nth}`,
        process: part === 'crash' ? 'fate' : process,
        async act() {
          for (let turn = 0; turn < hesitation; turn += 1) await turns.turn('hesitates');
          if (part === 'crash') turns.kill('A');
          else await play(processes[process], part, id, counts);
        },
      })),
    );
    await still.clock.advance('10m');
    await still.clock.advance('4h');
    await expectWhole(
      still,
      id,
      counts.replayed,
      roles.some(({ part }) => part === 'crash'),
    );
    const sent = still.receiver.received.slice(before);
    for (const webhook of sent) assert.deepEqual([webhook.id, webhook.body], [first?.id, first?.body], 'other bytes');
  } catch (error) {
    throw new Error(`${String(error)}\n${turns.story.join('\n')}`, { cause: error });
  }
}

async function play(
  t: TestGate,
  part: Exclude<Role['part'], 'crash'>,
  id: string,
  counts: { replayed: number },
): Promise<void> {
  const key = t.keys.secret.test;
  const post = (path: string, body?: unknown) =>
    t.request('POST', path, { key, ...(body === undefined ? {} : { body }) });
  if (part === 'worker') return t.gate.runDue();
  if (part === 'rotation') return void (await post('/portal/webhook-secret/rotate', { grace_period_seconds: 60 }));
  if (part === 'replay all') {
    const answer = await post('/v1/webhooks/deliveries/replay');
    counts.replayed += Number(answer.json['replayed'] ?? 0);
    return;
  }
  const answer = await post(`/v1/webhooks/deliveries/${id}/replay`);
  if (answer.status === 202) counts.replayed += 1;
  else assert.ok([409, 503].includes(answer.status), `a replay was answered ${answer.status}: ${answer.text}`);
}

/** Every acknowledged replay counts once; the outcome of a replay by a crashed process is unknown. */
async function expectWhole(t: TestGate, id: string, replayed: number, hasDied: boolean): Promise<void> {
  const { json } = await t.request('GET', `/v1/webhooks/deliveries/${id}`, { key: t.keys.secret.test });
  const count = Number(json['replay_count']);
  assert.ok(hasDied ? count >= replayed : count === replayed, `${replayed} replays were acknowledged, ${count} count`);
  assert.ok(json['status'] === 'dead_lettered' || json['status'] === 'delivered', `it stays ${String(json['status'])}`);
  const attempts = json['attempts'] as readonly { readonly number: number; readonly trigger: string }[];
  assert.deepEqual(
    attempts.map(({ number }) => number),
    attempts.map((_, nth) => nth + 1),
    'an attempt was lost',
  );
  assert.equal(attempts.filter(({ trigger }) => trigger === 'replay').length, count, 'a replay began more than once');
}

async function aDeadLettered(t: TestGate): Promise<string> {
  t.receiver.answerWith(() => REFUSED);
  const { delivery_id: id } = (await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' }))._unsafeUnwrap();
  await t.gate.runDue();
  await t.clock.advance('4h');
  return id;
}
