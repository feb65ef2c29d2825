import { changes, describeLaws, rows, storeLaws } from '@gateramp/conformance';
import { DAY, endDelivery, releaseDelivery, type Delivery } from '@gateramp/core/domain';
import type { ClaimedDelivery, Store } from '@gateramp/core/ports';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDeep } from '../../../tests/depth.js';
import { batchedCommit } from '../src/commit/committer.js';
import { pooled } from '../src/database.js';
import { postgresStore, storeOver } from '../src/postgres-store.js';
import { readingFrom } from '../src/reads/reading.js';
import { LanePositions } from '../src/work/lane-positions.js';
import { EACH_POSTGRES, freshSchema, postgresSubject, testPool } from './postgres-subject.js';

describe.each(EACH_POSTGRES)('on %s, with claims from a position', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  // Positions are never renewed, so that the laws hold because of the claims alone.
  const open: typeof postgresStore = (connections, options) => storeWith(connections, options?.schema ?? '', () => 0);
  describeLaws(
    storeLaws.filter(({ title }) => title !== COMMITS_LATE),
    postgresSubject(() => pool, {}, schemaOfSlowClaims, open),
    { describe, it },
  );

  it('claims rows up to a second late at once, and later ones after the position is renewed', async () => {
    let fine = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), async (history) => {
        const schema = await schemaOfSlowClaims(pool);
        await play(history, postgresStore(pool, { schema }), (clock) => storeWith(pool, schema, clock));
        fine += 1;
      }),
      { numRuns: RUNS },
    );
    expect(fine).toBe(RUNS);
  }, 120_000);
});

/** A law that commits rows an hour late and claims them at once, which needs a renewed position. */
const COMMITS_LATE = 'gives the turn of an endpoint without free slots to others';

const RUNS = isDeep ? 40 : 8;
const SCOPES = [rows.ACME, rows.BOLT, rows.ACME_LIVE];
const EVERYTHING = 100;

type Step =
  | { readonly kind: 'commit'; readonly scope: number; readonly lateMs: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'claim'; readonly limit: number; readonly then: 'deliver' | 'return' | 'keep' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    scope: fc.nat(SCOPES.length - 1),
    lateMs: fc.oneof(fc.nat(1_000), fc.nat(20_000)),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(1_500) }),
  fc.record({
    kind: fc.constant('claim' as const),
    limit: fc.constantFrom(1, 2, EVERYTHING),
    then: fc.constantFrom('deliver' as const, 'return' as const, 'keep' as const),
  }),
);

/** Another process commits, and a worker claims from a position that it renews when `clock` says so. */
async function play(history: readonly Step[], other: Store, open: (clock: () => number) => Store): Promise<void> {
  let time = 0;
  let now = rows.T0;
  const worker = open(() => time);
  /** Whether each row that waits must be found by the next claim. */
  const waiting = new Map<string, boolean>();
  const held: ClaimedDelivery[] = [];

  async function claim(limit: number): Promise<readonly ClaimedDelivery[]> {
    const request = { now: rows.nowIn(now), lane: 'first', limit, perEndpoint: EVERYTHING, leaseMs: DAY } as const;
    const claimed = await worker.claim('delivery', { ...request, token: rows.aUuid() });
    for (const { delivery } of claimed) expect(waiting.delete(delivery.id)).toBe(true);
    if (limit === EVERYTHING) expect([...waiting.values()]).not.toContain(true);
    return claimed;
  }
  const record = ({ delivery }: ClaimedDelivery, next: Delivery) =>
    worker.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null });

  for (const step of history) {
    if (step.kind === 'pass') now += step.ms;
    else if (step.kind === 'commit') {
      const event = rows.aPartnerEvent(SCOPES[step.scope] ?? rows.ACME, now);
      const delivery = { ...rows.aDelivery(event, now), dueAt: now - step.lateMs };
      await other.commit(changes.eventOnly(event, delivery));
      waiting.set(delivery.id, step.lateMs <= 1_000);
    } else
      for (const one of await claim(step.limit)) {
        if (step.then === 'keep') held.push(one);
        else if (step.then === 'deliver') await record(one, endDelivery(one.delivery, now));
        else {
          expect(await record(one, releaseDelivery(one.delivery))).toBe('recorded');
          // This process knows of it, however long ago it was due.
          waiting.set(one.delivery.id, true);
        }
      }
  }
  for (const one of held) expect(await record(one, releaseDelivery(one.delivery))).toBe('recorded');
  for (const { delivery } of held) waiting.set(delivery.id, true);
  await claim(EVERYTHING);
  time += 5_000;
  await claim(EVERYTHING);
  expect([...waiting.keys()]).toEqual([]);
}

/** Every claim counts as slow. */
async function schemaOfSlowClaims(pool: pg.Pool): Promise<string> {
  const schema = await freshSchema(pool);
  await pool.query(`create sequence "${schema}".slow increment 10000;
    create or replace function "${schema}".dead_entries_read() returns bigint language sql as $$ select nextval('"${schema}".slow') $$`);
  return schema;
}

/** A store as `postgresStore` makes it, whose positions are renewed by another clock. */
function storeWith(pool: pg.Pool, schema: string, clock: () => number) {
  const database = pooled(pool, { queryTimeoutMs: 15_000, preparedStatements: false });
  return storeOver(
    database,
    readingFrom(pool, database, {
      schema,
      isDistributed: false,
      keptForCommits: 3,
      waitMs: 15_000,
      pageTimeoutMs: 2_000,
      statementOf: database.statementOf,
      keepsPlans: false,
    }),
    {
      schema,
      isDistributed: false,
      hasOwnTransactions: true,
      positions: new LanePositions(clock),
      recording: { slots: 2, batchMax: 128, gather: { ms: 5, count: 32 }, onRecorded: () => undefined },
      commit: batchedCommit(database, {
        schema,
        isDistributed: false,
        slots: 2,
        batchMax: 64,
        onBatch: () => undefined,
      }),
    },
  );
}
