import { rows, type StoreSubject } from '@gateramp/conformance';
import pg from 'pg';
import { uniqueName } from '../../../tests/services/scratch-database.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { migrate, type PostgresStoreOptions } from '../src/index.js';
import { LanePositions } from '../src/work/lane-positions.js';
import { postgresStore } from './patient-store.js';

/** An attempt that the endpoint accepted. */
export const ACCEPTED = {
  url: 'https://shop.example',
  startedAt: rows.T0,
  durationMs: 1,
  responseStatus: 200,
  responseBody: '',
  error: null,
};

/** A pool on a Postgres of the run; the caller ends it. */
export async function testPool(max = 10, { stock = false }: { stock?: boolean } = {}): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await testDatabaseUrl({ stock }), max });
  pool.on('error', () => undefined);
  return pool;
}

export const aSchemaName = (): string => uniqueName('test');

/** Stores in separate schemas. The schema of a closed store is emptied and reused: creating one takes far longer than most laws. */
export function postgresSubject(
  pool: () => pg.Pool,
  options: PostgresStoreOptions = {},
  fresh: (pool: pg.Pool) => Promise<string> = freshSchema,
  open: typeof postgresStore = postgresStore,
): StoreSubject {
  const free: string[] = [];
  return {
    model: { runs: 15, timeLimitMs: 60_000 },
    async unreachable() {
      const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing', max: 1 });
      return { store: postgresStore(nowhere, options), close: () => nowhere.end() };
    },
    async create() {
      const schema = free.pop() ?? (await fresh(pool()));
      return {
        store: open(pool(), { ...options, schema }),
        async close() {
          await emptySchema(pool(), schema);
          // While another test holds a snapshot, claims continue from a position, and the next law begins at an earlier time.
          LanePositions.shared(pool(), schema).forget();
          free.push(schema);
        },
        async breakWrites() {
          await pool().query(`create function "${schema}".broken() returns trigger language plpgsql
            as $$ begin raise exception 'planted'; end $$`);
          await pool().query(`create trigger broken before insert or update on "${schema}".deliveries
            for each row execute function "${schema}".broken()`);
          return async () => {
            await pool().query(`drop function "${schema}".broken() cascade`);
          };
        },
        async reopen() {
          const connections = new pg.Pool({ ...pool().options, max: 4 });
          connections.on('error', () => undefined);
          return { store: open(connections, { ...options, schema }), close: () => connections.end() };
        },
      };
    },
  };
}

export async function freshSchema(pool: pg.Pool): Promise<string> {
  const schema = aSchemaName();
  await migrate(pool, { schema });
  return schema;
}

/** Empties all tables. */
export async function emptySchema(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    schema,
  ]);
  const tables = rows.map(({ name }) => name).filter((name) => !name.endsWith('migrations'));
  await pool.query(tables.map((name) => `delete from "${schema}"."${name}"`).join(';'));
}
