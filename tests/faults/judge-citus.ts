import { workerData } from 'node:worker_threads';
import { sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import { citus } from '../../packages/adapters-store-citus/src/index.js';
import { claimRaceLaws } from '../../packages/adapters-store-citus/test/claim-race-laws.js';
import { distributedSchema } from '../../packages/adapters-store-citus/test/cluster-layout.js';
import { postgresSubject } from '../../packages/adapters-store-postgres/test/postgres-subject.js';
import { judge } from './verdict.js';

// Given by run.ts: the URL of a server that no one else uses.
const pool = new pg.Pool({ connectionString: String(workerData), max: 10 });
pool.on('error', () => undefined);

await judge(
  [
    ...claimRaceLaws(() => pool),
    ...[...storeLaws, ...sandboxStoreLaws].filter(({ topic }) => !topic.includes('random histories')),
  ],
  postgresSubject(() => pool, { distribution: citus }, distributedSchema),
);
await pool.end();
