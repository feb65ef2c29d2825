import { serviceOfRun } from './service.js';

/**
 * The URL of a Postgres for tests: the one of TEST_DATABASE_URL, otherwise one that this run starts. `stock` selects the machine's own
 * Postgres with its defaults, rather than the one from npm.
 */
export const testDatabaseUrl = async ({ stock = false }: { stock?: boolean } = {}): Promise<string> =>
  process.env.TEST_DATABASE_URL || serviceOfRun(stock ? 'postgres/stock' : 'postgres');
