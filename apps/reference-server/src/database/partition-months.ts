import { postgresPartitions } from '@gateramp/adapters-store-postgres';
import type { Clock, Telemetry } from '@gateramp/core/ports';
import { Gauge } from 'prom-client';
import type { DatabaseConfig } from '../config/config.js';
import type { Metrics } from '../metrics/metrics.js';
import { withPatientPool, type OpenDatabase } from './open-database.js';
import { SCHEMA } from './schema.js';

/** Months are made long before they begin, so a failure is repeated many times before rows go to the last partition. */
const EVERY_MS = 6 * 3_600_000;

/** Read on every scrape; no series while no table is partitioned. */
export function watchPartitions({ registry }: Metrics, { opsPool }: OpenDatabase, clock: Clock): void {
  const partitions = postgresPartitions(opsPool, { schema: SCHEMA });
  new Gauge({
    name: 'gate_partition_months_ahead',
    help: 'Months that are made beyond the present one, of each partitioned table.',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      this.reset();
      const read = async () => partitions.monthsAhead(clock.now('live'));
      // Neither a database that does not answer nor a clock that is not trusted, which throws, may fail the scrape.
      const months = await read().catch(() => []);
      for (const { table, ahead } of months) this.set({ table }, ahead);
    },
  });
}

/** Makes the coming months of partitioned tables, at the start and four times a day. Only reads if there is nothing to do. */
export function makeMonths(
  config: DatabaseConfig,
  { opsPool }: OpenDatabase,
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Pick<Telemetry, 'failure' | 'note'> },
): () => void {
  const round = async (): Promise<void> => {
    const now = clock.now('live');
    if ((await postgresPartitions(opsPool, { schema: SCHEMA }).due(now)).length === 0) return;
    const changed = await withPatientPool(
      config,
      (pool) => postgresPartitions(pool, { schema: SCHEMA }).premake(now),
      'gateramp partitions',
    );
    if (changed.length > 0) telemetry.note('partition_months_made', { tables: changed.join(', ') });
  };
  const run = (): void => void round().catch((error: unknown) => telemetry.failure(error, { place: 'partitions' }));
  run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}
