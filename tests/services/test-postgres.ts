import { serviceOfRun } from './service.js';

/**
 * URL of a Postgres to test with: the one TEST_DATABASE_URL names, otherwise one that this run starts for itself.
 * `stock` asks for the machine's own Postgres as it comes, rather than the one from npm.
 */
export const testDatabaseUrl = async ({ stock = false }: { stock?: boolean } = {}): Promise<string> =>
  process.env.TEST_DATABASE_URL || serviceOfRun(stock ? 'postgres/stock' : 'postgres');
