import { changes, rows } from '@gateramp/conformance';
import { deliveryEndpoint, type Delivery } from '@gateramp/core/domain';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from '../../src/index.js';
import { testPool } from '../postgres-subject.js';
import { distributedSchema } from './cluster-layout.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('counts the leases that an endpoint received between the look for due deliveries and the claim', async () => {
  const schema = await distributedSchema(pool);
  const store = postgresStore(pool, { schema, distributed: true });
  const due: Delivery[] = [];
  for (let nth = 0; nth < 4; nth += 1) {
    const event = rows.aPartnerEvent(rows.ACME, rows.T0 + nth);
    const delivery = rows.aDelivery(event, rows.T0 + nth);
    await store.commit(changes.eventOnly(event, delivery));
    due.push(delivery);
  }
  const claim = { now: rows.nowIn(rows.T0 + 10), lane: 'first', limit: 10, perEndpoint: 2, leaseMs: 60_000 } as const;

  // The rival takes the whole share, but not the rows that are due first: no row lock would stop a second claim from taking these.
  const rival = await pool.connect();
  try {
    await rival.query('begin');
    const [, , third, fourth] = due.map(({ id }) => id);
    const endpoint = due.map(deliveryEndpoint)[0];
    const leased = await rival.query(
      `select from "${schema}".claim_deliveries_of_partner($1, $2, 'first', $3, $4, $5, 2, 60000, 'rival')`,
      [rows.ACME.partnerId, rows.ACME.mode, endpoint, [third, fourth], rows.T0 + 10],
    );
    expect(leased.rowCount).toBe(2);
    let isOver = false;
    const claimed = store.claim('delivery', { ...claim, token: rows.aUuid() }).finally(() => (isOver = true));
    while (!isOver && !(await isWaiting(schema))) await new Promise((resolve) => setImmediate(resolve));
    await rival.query('commit');
    expect(await claimed).toEqual([]);
  } finally {
    rival.release(true);
  }
});

/** Whether a claim of this schema waits for another. */
async function isWaiting(schema: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and not l.granted and a.query like '%' || $1 || '%'`,
    [`"${schema}".claim_deliveries_of_partner`],
  );
  return (rowCount ?? 0) > 0;
}
