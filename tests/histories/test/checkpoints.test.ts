import { memorySandboxLedger, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { ACCEPTED, createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptySchema, freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { runs } from '../../depth.js';
import { ownFile, partsInFile, partsInPostgres, type Parts } from '../moved/places.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

type Place = Pick<Parts, 'store' | 'ledger'>;

type Step =
  | { readonly do: 'create' }
  | { readonly do: 'simulate'; readonly session: number; readonly scenario: string }
  | { readonly do: 'refund' | 'cancel' | 'read'; readonly session: number }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'receiver'; readonly answers: boolean };

const session = fc.nat(3);
const SCENARIOS = [
  'succeed',
  'processing',
  'kyc_required',
  'decline',
  'settlement_error',
  'abandon',
  'charged_back',
] as const;
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'create' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('simulate' as const),
      session,
      scenario: fc.constantFrom(...SCENARIOS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refund', 'cancel', 'read' as const), session }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('advance' as const), seconds: fc.constantFrom(1, 20, 90, 3_600, 100_000) }),
  },
  fc.record({ do: fc.constant('receiver' as const), answers: fc.boolean() }),
);
const STEPS = fc.array(STEP, { maxLength: 8 });

interface Sandbox {
  readonly t: TestGate;
  /** The sessions that steps name by their number. */
  readonly sessions: { readonly id: string; readonly since: number }[];
}

async function sandboxIn({ store, ledger }: Place): Promise<Sandbox> {
  const ports = { store, providers: [sandboxProvider({ ledger })] };
  const t = await createTestGate({ ports, policy: { testClock: 'partner' } });
  return { t, sessions: [] };
}

async function play({ t, sessions }: Sandbox, steps: readonly Step[]): Promise<void> {
  const key = t.keys.secret.test;
  for (const step of steps) {
    const id = 'session' in step ? sessions[step.session]?.id : undefined;
    if (step.do === 'create') {
      const made = await t.createSession();
      sessions.push({ id: made.id, since: Date.parse(made.created_at) });
    } else if (step.do === 'advance') await t.gate.advanceTestClock(step.seconds * 1_000, t.partner.id);
    else if (step.do === 'receiver') t.receiver.answerWith(() => (step.answers ? ACCEPTED : REFUSED));
    else if (id === undefined) continue;
    else if (step.do === 'simulate')
      await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
        key,
        body: { scenario: step.scenario },
      });
    else if (step.do === 'refund') {
      const refid = (await t.store.find('session', scopeOf(t), id))?.txRefid;
      if (refid)
        await t.request('POST', `/v1/transactions/${refid}/refund`, {
          key,
          headers: { 'idempotency-key': `${refid}-${t.gate.clock.now({ partnerId: t.partner.id, mode: 'test' })}` },
          body: { amount: '14.14' },
        });
    } else if (step.do === 'cancel')
      await t.request('POST', `/v1/gate_sessions/${id}/cancel`, {
        key,
        headers: { 'idempotency-key': `${id}-${t.gate.clock.now({ partnerId: t.partner.id, mode: 'test' })}` },
      });
    else await t.retrieveSession(id);
    await t.gate.runDue();
  }
}

const scopeOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

/** What became of the sessions, without ids and times. `skipped`: payments that began in this span. */
async function outcomeOf({ t, sessions }: Sandbox, skipped: readonly [number, number] | null): Promise<unknown> {
  const outcomes = [];
  for (const { id } of sessions) {
    const read = await t.retrieveSession(id);
    const { data } = (await t.gate.transactions.list(scopeOf(t), { session_id: id, limit: 100 }))._unsafeUnwrap();
    const own = data.filter(({ created_at: at }) => {
      const since = Date.parse(at);
      return skipped === null || since < skipped[0] || since > skipped[1];
    });
    outcomes.push({
      status: read.status,
      failure: own.map((one) => one.failure?.code ?? null),
      payments: own.map((one) => [one.status, one.amount_refunded, one.refunds.map(({ status }) => status)]),
      disputes: own.map((one) => one.disputes.map(({ status, amount }) => [status, amount])),
    });
  }
  return outcomes;
}

const rowsOf = async (t: TestGate, scope: { readonly partnerId: string; readonly mode: 'test' | 'live' }) => {
  const page = { start: { kind: 'newest' }, limit: 100 } as const;
  const times = { createdAfter: null, createdBefore: null, status: null } as const;
  const filter = { ...times, flow: null, currency: null, userReference: null, sessionId: null };
  const deliveries = { ...times, target: null, eventType: null, eventId: null, sessionId: null };
  return JSON.stringify([
    await t.store.list('session', scope, filter, page, 0),
    await t.store.list('transaction', scope, filter, page),
    await t.store.list('delivery', scope, deliveries, page),
    await t.store.list('event', scope, { ...times, type: null, sessionId: null }, page),
  ]);
};

/** The same steps after a return, and in a sandbox that never left, lead to the same; nothing that was announced changes. */
async function judge(
  places: readonly [Place, Place],
  before: readonly Step[],
  aside: readonly Step[],
  after: readonly Step[],
): Promise<void> {
  const [straight, returned] = [await sandboxIn(places[0]), await sandboxIn(places[1])];
  await play(straight, [...before, { do: 'advance', seconds: 1 }]);
  await play(straight, after);

  const { t } = returned;
  const { checkpoints } = t.gate.admin;
  await play(returned, before);
  await play(returned, [{ do: 'receiver', answers: true }, ...(isBroken(before) ? [BREAK] : [])]);
  const other = await t.gate.admin.createPartner({ name: 'Other', allowedOrigins: ['https://shop.example'] });
  const others = { partnerId: other.id, mode: 'test' } as const;
  (await t.gate.sessions.create(others, BODY))._unsafeUnwrap();
  const saved = (await checkpoints.create(t.partner.id, 'here'))._unsafeUnwrap();
  await t.gate.advanceTestClock(1_000, t.partner.id);
  const left = t.gate.clock.now(scopeOf(t));
  const count = returned.sessions.length;
  await play(returned, aside);
  const [events, otherRows] = [await eventsOf(t), await rowsOf(t, others)];
  const live = await rowsOf(t, { partnerId: t.partner.id, mode: 'live' });
  (await checkpoints.return(t.partner.id, saved.id))._unsafeUnwrap();
  expect(await rowsOf(t, others)).toBe(otherRows);
  expect(await rowsOf(t, { partnerId: t.partner.id, mode: 'live' })).toBe(live);
  returned.sessions.splice(count);
  await t.gate.advanceTestClock(1_000, t.partner.id);
  const back = t.gate.clock.now(scopeOf(t));
  await play(returned, [{ do: 'receiver', answers: !isBroken(before) }]);
  await play(returned, after);

  expect(await outcomeOf(returned, [left, back - 1_000])).toEqual(await outcomeOf(straight, null));
  const all = await eventsOf(t);
  const known = new Set(events.map(({ id }) => id));
  expect(all.filter(({ id }) => known.has(id))).toEqual(events);
  for (const id of new Set(all.map((one) => one.session))) {
    const own = all.filter((one) => one.session === id).map(({ sequence }) => sequence);
    expect(own.toSorted((one, another) => Number(one) - Number(another))).toEqual(own.map((_, at) => at + 1));
  }
}

const BREAK: Step = { do: 'receiver', answers: false };
const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const isBroken = (steps: readonly Step[]) => steps.findLast((one) => one.do === 'receiver')?.answers === false;

/** Events of sessions in the order of their numbers, session by session in the order of creation of events. */
async function eventsOf(t: TestGate) {
  const rows = await t.store.list(
    'event',
    scopeOf(t),
    { type: null, sessionId: null, createdAfter: null, createdBefore: null },
    { start: { kind: 'newest' }, limit: 1_000 },
  );
  return rows
    .toReversed()
    .filter(({ sessionId }) => sessionId !== null)
    .map(({ id, sessionId, sequence, body }) => ({ id, session: sessionId, sequence, body }));
}

const memoryPlace = (): Place => ({ store: memoryStore(), ledger: memorySandboxLedger() });

describe('after a return to a checkpoint the same steps lead to the same', () => {
  it('in memory', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, STEPS, STEPS, (before, aside, after) =>
        judge([memoryPlace(), memoryPlace()], before, aside, after),
      ),
      { numRuns: runs(40, 400) },
    );
  }, 120_000);

  it('on SQLite', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, STEPS, STEPS, async (before, aside, after) => {
        const { file, remove } = ownFile();
        try {
          await judge([memoryPlace(), partsInFile(file)], before, aside, after);
        } finally {
          remove();
        }
      }),
      { numRuns: runs(5, 40) },
    );
  }, 120_000);

  it('on Postgres', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, STEPS, STEPS, async (before, aside, after) => {
        await emptySchema(pool, schema);
        await judge([memoryPlace(), partsInPostgres(pool, schema)], before, aside, after);
      }),
      { numRuns: runs(5, 40) },
    );
  }, 120_000);
});
