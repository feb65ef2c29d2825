import { createServer } from 'node:http';
import { webhooks } from '@gateramp/sdk-node';
import pg from 'pg';
import { leasedEvents, transactionalEvents } from '../../examples/fastify-shop/src/received-events.js';
import { portOf } from '../services/ports.js';

/**
 * One process of a receiver: `DATABASE_URL`, and `STORE`, which is `transaction` or `lease` (of `LEASE_SECONDS`). It packs a parcel for
 * each event; in an event whose id begins with "crash" it stops after it has written and before it is done.
 */
const SECRET = 'whsec_racing_receivers_secret';
const { DATABASE_URL, STORE, LEASE_SECONDS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

async function pack(on: pg.Pool | pg.PoolClient, id: string): Promise<void> {
  await on.query('insert into parcels (event_id, packed_by) values ($1, $2)', [id, process.pid]);
  if (!id.startsWith('crash') || process.env['CRASHES'] === undefined) return;
  console.log('written');
  await new Promise(() => undefined);
}

const receiver =
  STORE === 'lease'
    ? webhooks.receive({
        secret: SECRET,
        store: leasedEvents(pool),
        leaseSeconds: Number(LEASE_SECONDS),
        handle: ({ id }) => pack(pool, id),
      })
    : webhooks.receive({
        secret: SECRET,
        store: transactionalEvents(pool),
        handle: ({ id }, { transaction }) => pack(transaction, id),
      });

const server = createServer(receiver.express);
server.listen(0, '127.0.0.1', () => console.log(`listening ${portOf(server)}`));
