import assert from 'node:assert/strict';
import { changes, rows, type Law, type StoreSubject } from '@gateramp/conformance';
import { deliveryEndpoint, type Delivery } from '@gateramp/core/domain';
import type pg from 'pg';
import { postgresStore } from '../../adapters-store-postgres/test/patient-store.js';
import { citus } from '../src/index.js';
import { distributedSchema } from './cluster-layout.js';

/** Laws of distributed tables, where a claim finds due deliveries and leases them by different statements. */
export const claimRaceLaws = (pool: () => pg.Pool): readonly Law<StoreSubject>[] => [
  {
    topic: TOPIC,
    title: 'counts the leases that an endpoint received between the look for due deliveries and the claim',
    run: async () => {
      // The rival takes the whole share, but not the rows that are due first: no row lock would stop a second claim from taking these.
      const { ids, claimed } = await race(pool(), { rival: [2, 3], limit: 10, perEndpoint: 2 });
      assert.deepEqual([ids.length, claimed], [4, []], 'an endpoint has more live leases than its share');
    },
  },
  {
    topic: TOPIC,
    title: 'looks again if another claim took the due deliveries that it had found',
    run: async () => {
      const { ids, claimed } = await race(pool(), { rival: [0, 1], limit: 2, perEndpoint: 4 });
      assert.deepEqual(claimed, ids.slice(2));
    },
  },
];

const TOPIC = 'Store: claims on distributed tables';

interface Race {
  /** The places of the four due deliveries that the rival leases. */
  readonly rival: readonly number[];
  readonly limit: number;
  readonly perEndpoint: number;
}

interface Raced {
  readonly ids: readonly string[];
  readonly claimed: readonly string[];
}

/** A claim that finds four due deliveries while a rival has leased some of them, and leases after the rival has committed. */
async function race(pool: pg.Pool, { rival: taken, limit, perEndpoint }: Race): Promise<Raced> {
  const schema = await distributedSchema(pool);
  const store = postgresStore(pool, { schema, distribution: citus });
  const due: Delivery[] = [];
  for (let nth = 0; nth < 4; nth += 1) {
    const event = rows.aPartnerEvent(rows.ACME, rows.T0 + nth);
    const delivery = rows.aDelivery(event, rows.T0 + nth);
    await store.commit(changes.eventOnly(event, delivery));
    due.push(delivery);
  }
  const ids = due.map(({ id }) => id);
  const request = { now: rows.nowIn(rows.T0 + 10), lane: 'first', limit, perEndpoint, leaseMs: 60_000 } as const;

  const rival = await pool.connect();
  try {
    await rival.query('begin');
    const leased = await rival.query(
      `select from "${schema}".claim_deliveries_of_partner($1, $2, 'first', $3, $4, $5, $6, 60000, 'rival')`,
      [
        rows.ACME.partnerId,
        rows.ACME.mode,
        due.map(deliveryEndpoint)[0],
        taken.map((nth) => ids[nth]),
        rows.T0 + 10,
        perEndpoint,
      ],
    );
    assert.equal(leased.rowCount, taken.length);
    let isOver = false;
    const claim = store.claim('delivery', { ...request, token: rows.aUuid() }).finally(() => (isOver = true));
    while (!isOver && !(await isWaiting(pool, schema))) await new Promise((resolve) => setImmediate(resolve));
    await rival.query('commit');
    return { ids, claimed: (await claim).map(({ delivery }) => delivery.id) };
  } finally {
    rival.release(true);
  }
}

/** Whether a claim of this schema waits for another. */
async function isWaiting(pool: pg.Pool, schema: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and not l.granted and a.query like '%' || $1 || '%'`,
    [`"${schema}".claim_deliveries_of_partner`],
  );
  return (rowCount ?? 0) > 0;
}
