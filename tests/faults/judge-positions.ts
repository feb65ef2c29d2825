import { workerData } from 'node:worker_threads';
import { sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import {
  holdsUnrenewed,
  openUnrenewed,
  positionLaws,
  schemaOfSlowClaims,
} from '../../packages/adapters-store-postgres/test/position-laws.js';
import { postgresSubject } from '../../packages/adapters-store-postgres/test/postgres-subject.js';
import { judge } from './verdict.js';

// Given by run.ts: the URL of a server that no one else uses.
const pool = new pg.Pool({ connectionString: String(workerData), max: 10 });
pool.on('error', () => undefined);

const ofWork = [...storeLaws, ...sandboxStoreLaws].filter(
  (law) => holdsUnrenewed(law) && !law.topic.includes('random histories'),
);

await judge(
  [...positionLaws(() => pool), ...ofWork],
  postgresSubject(() => pool, {}, schemaOfSlowClaims, openUnrenewed),
);
await pool.end();
