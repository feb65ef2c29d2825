import { cpus } from 'node:os';
import { setup } from '../tools/setup.mjs';
import { postgresKind } from '../tests/services/postgres-binaries.ts';
import { benchCheckout } from './checkout/checkout.mjs';
import { benchConsole } from './console/console.mjs';
import { benchDeliveries } from './deliveries/deliveries.mjs';
import { benchHeldSnapshot } from './held-snapshot/held-snapshot.mjs';
import { benchMemory } from './http/memory.mjs';
import { benchPostgres } from './http/postgres.mjs';
import { benchSqlite } from './http/sqlite.mjs';
import { benchIdle } from './idle/idle.mjs';
import { benchLegs } from './legs/legs.mjs';
import { benchLists } from './lists/lists.mjs';
import { benchOverload } from './overload/overload.mjs';
import { benchPartitions } from './partitions/partitions.mjs';
import { benchReference } from './reference/reference.mjs';
import { benchTraces } from './traces/traces.mjs';

const SUITES = {
  memory: benchMemory,
  postgres: benchPostgres,
  sqlite: benchSqlite,
  deliveries: benchDeliveries,
  lists: benchLists,
  idle: benchIdle,
  overload: benchOverload,
  checkout: benchCheckout,
  reference: benchReference,
  legs: benchLegs,
  traces: benchTraces,
  partitions: benchPartitions,
  'held-snapshot': benchHeldSnapshot,
  console: benchConsole,
};

/**
 * `npm run bench [-- --quick] [-- memory postgres sqlite deliveries lists idle overload checkout reference legs traces partitions
 * held-snapshot console]`: every comparison runs both sides in turn on this machine, and only ratios count. Exits 1 when a figure misses
 * its limit, 2 for an unknown suite. `GATERAMP_TEST_POSTGRES=stock` uses the machine's own Postgres without changes.
 */
const words = process.argv.slice(2);
const effort = words.includes('--quick')
  ? { rounds: 1, seconds: 3, deliveries: 5_000, passed: 100_000 }
  : { rounds: 3, seconds: 5, deliveries: 20_000, passed: 1_000_000 };
const asked = words.filter((word) => word !== '--quick');
const unknown = asked.filter((word) => !Object.hasOwn(SUITES, word));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown suite: ${unknown.join(', ')}. Pass --quick and any of: ${Object.keys(SUITES).join(', ')}.\n`,
  );
  process.exit(2);
}
await setup();
process.stdout.write(
  `${new Date().toISOString()} · Node ${process.version} · ${cpus().length} × ${cpus()[0]?.model ?? 'cpu'} · Postgres: ${postgresKind()}\n`,
);
const rows = [];
for (const name of asked.length > 0 ? asked : Object.keys(SUITES)) rows.push(...(await SUITES[name](effort)));
process.exitCode = rows.every((row) => row.passed) ? 0 : 1;
