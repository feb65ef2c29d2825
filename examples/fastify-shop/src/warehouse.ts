import { webhooks } from '@gateramp/sdk-node';
import { fastify } from 'fastify';
import pg from 'pg';
import { MUG } from './orders.js';
import { EVENT_TABLES, transactionalEvents } from './received-events.js';

export interface WarehouseSettings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly secret: string;
}

export interface Warehouse {
  readonly url: string;
  close(): Promise<void>;
}

const PARCELS = `create table if not exists parcels (id bigint generated always as identity primary key, order_id text not null)`;

/** A service on another machine, in any number of processes: it packs one parcel for each paid mug. */
export async function openWarehouse({ databaseUrl, port, secret }: WarehouseSettings): Promise<Warehouse> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  // Without a listener, the loss of an idle connection ends the process.
  pool.on('error', (error) => console.error(`A database connection broke: ${error.message}`));
  await pool.query(EVENT_TABLES + PARCELS);
  const receiver = webhooks.receive({
    secret,
    store: transactionalEvents(pool),
    handle: async ({ type, livemode, data }, { transaction }) => {
      if (type !== 'gate_session.completed') return;
      if (livemode || data.amount !== MUG.amount || data.currency !== MUG.currency) return; // not a payment for a mug
      await transaction.query('insert into parcels (order_id) values ($1)', [data.user_reference]);
    },
  });
  const server = fastify();
  await server.register(receiver.fastify, { url: '/hooks' });
  server.get(
    '/parcels',
    async (): Promise<unknown> => (await pool.query('select order_id from parcels order by id')).rows,
  );
  const url = await server.listen({ host: '127.0.0.1', port });
  const close = async (): Promise<void> => {
    await server.close();
    await pool.end();
  };
  return { url: `${url}/hooks`, close };
}
