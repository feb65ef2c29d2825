import { workerData } from 'node:worker_threads';
import { sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import { postgresLaws } from '../../packages/adapters-store-postgres/test/postgres-laws.js';
import { postgresSubject } from '../../packages/adapters-store-postgres/test/postgres-subject.js';
import { judge } from './verdict.js';

// Given by run.ts: the URL of a server that no one else uses.
const pool = new pg.Pool({ connectionString: String(workerData), max: 10 });
pool.on('error', () => undefined);

/** The laws of durability come first, starting with those that catch most faults. The model law would take too long here. */
const ofConnections = storeLaws.filter(({ topic }) => topic.startsWith('Store: several connections'));
const others = [...storeLaws, ...sandboxStoreLaws].filter(
  (law) => !ofConnections.includes(law) && !law.topic.includes('random histories'),
);

await judge(
  [...ofConnections.toReversed(), ...postgresLaws(() => pool), ...others],
  postgresSubject(() => pool),
);
await pool.end();
