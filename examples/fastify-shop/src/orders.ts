import { randomUUID } from 'node:crypto';
import { withTransaction } from '@gateramp/adapters-store-postgres';
import type { Gate } from '@gateramp/core';
import type { Scheduler } from '@gateramp/core/ports';
import type pg from 'pg';
import { SHOP } from './gate.js';

export const MUG = { amount: '25.00', currency: 'EUR', flow: 'on_ramp' } as const;

export interface World {
  readonly pool: pg.Pool;
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly shopUrl: string;
}

/** The shop's own table, in the same database. */
export const createOrders = async (pool: pg.Pool): Promise<void> => {
  await pool.query(`create table if not exists mug_orders (
    id text primary key, session_id text not null, amount text not null, currency text not null,
    status text not null default 'open', tx_refid text)`);
};

/** Creates the order and its session in one transaction. Returns the secret that opens the checkout. */
export async function placeOrder({ pool, gate, scheduler, shopUrl }: World, goods = MUG): Promise<string> {
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('begin');
    const ports = withTransaction(client, { scheduler });
    const created = await gate
      .over(ports)
      .sessions.create(
        SHOP,
        { ...goods, return_url: `${shopUrl}/orders/${id}`, user_reference: id },
        { idempotencyKey: id },
      );
    if (created.isErr()) throw new Error(`No checkout: ${created.error.code}`);
    await client.query('insert into mug_orders (id, session_id, amount, currency) values ($1, $2, $3, $4)', [
      id,
      created.value.id,
      goods.amount,
      goods.currency,
    ]);
    await client.query('commit');
    ports.afterCommit(); // the session's event can now be delivered
    return created.value.client_secret;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Called at least once for every paid session; each mug is sent once. */
export function sendMugs({ gate, pool }: World): void {
  gate.on('gate_session.completed', 'send-the-mug', async ({ livemode, data }) => {
    if (livemode) return; // this shop sells in test mode
    // Matches the session and its terms: another session may have the same reference. Amounts are returned as they were sent.
    await pool.query(
      `update mug_orders set status = 'paid', tx_refid = $2
       where session_id = $1 and amount = $3 and currency = $4 and status = 'open'`,
      [data.id, data.tx_refid, data.amount, data.currency],
    );
  });
}

export async function findOrder(pool: pg.Pool, id: string): Promise<unknown> {
  const { rows } = await pool.query('select id, amount, currency, status, tx_refid from mug_orders where id = $1', [
    id,
  ]);
  return rows[0] ?? null;
}
