import { onTestFinished } from 'vitest';
import pg from 'pg';
import { eventually } from '../../apps/reference-server/test/ask.js';
import { MASTER_KEY } from '../../apps/reference-server/test/master-keys.js';
import { Gate } from '../../sdks/node/src/index.js';
import { freePort } from './ports.js';
import { startReferenceServer, TEST_PARTNER } from './reference-server.js';
import { scratchDatabase } from './scratch-database.js';

/** The lists in the order of ids that are made before the commit, by their tables. */
export const LATE_LISTS = ['sessions', 'transactions', 'deliveries'] as const;
type List = (typeof LATE_LISTS)[number];

/** Held by the test while a slow commit waits. */
const LOCK = 8_217;

export interface LateRow {
  /** An older row. */
  readonly cursor: string;
  /** Newer rows, oldest first. */
  readonly newer: readonly string[];
  /** Ends the slow commit and returns the id of its row, which comes before the newer ones. */
  commit(): Promise<string>;
}

/** A server on Postgres whose commits can be slow. */
export async function serverOfLateRows(): Promise<{
  readonly origin: string;
  readonly secretKey: string;
  /** A list in which a row has not been committed, and three newer ones have. */
  list(name: List): Promise<LateRow>;
}> {
  const database = await scratchDatabase();
  const { secretKey, webhookSecret } = TEST_PARTNER;
  const { origins, returnUrl } = await startReferenceServer({
    settings: { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY },
    partner: {
      test: {
        secret_keys: [secretKey],
        publishable_keys: [],
        webhook_url: `http://127.0.0.1:${await freePort()}/hooks`,
        webhook_secret: webhookSecret,
      },
    },
  });
  await database.query(`
    create table slow_next (list text);
    create function wait_if_slow() returns trigger language plpgsql as $$
    begin
      perform 1 from public.slow_next where list = tg_table_name for update skip locked;
      if found then
        delete from public.slow_next where list = tg_table_name;
        perform pg_advisory_xact_lock_shared(${LOCK});
      end if;
      return new;
    end $$`);
  for (const list of LATE_LISTS)
    await database.query(
      `create trigger slow before insert on gateramp.${list} for each row execute function public.wait_if_slow()`,
    );

  // A busy machine may not answer in time.
  const gate = new Gate(secretKey, { baseUrl: origins.sandbox, maxRetries: 10 });
  const newSession = async (): Promise<string> =>
    (await gate.gateSessions.create({ amount: '100.00', currency: 'EUR', return_url: returnUrl })).id;
  const add: Readonly<Record<List, () => Promise<string>>> = {
    sessions: newSession,
    transactions: async () => (await gate.testHelpers.simulate(await newSession(), 'succeed')).tx_refid ?? '',
    deliveries: async () => {
      const { data } = await gate.webhooks.deliveries.list({ session_id: await newSession() });
      return data[0]?.id ?? '';
    },
  };
  const list = async (name: List): Promise<LateRow> => {
    const cursor = await add[name]();
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    let isOpen = true;
    const release = async (): Promise<void> => {
      if (isOpen) await holder.end();
      isOpen = false;
    };
    onTestFinished(release);
    await holder.query(`select pg_advisory_lock(${LOCK})`);
    await holder.query(`insert into slow_next values ('${name}')`);
    const late = add[name]();
    // `pg_locks` shows those of all databases, and so of other tests.
    const waits = `select 1 from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and objid = ${LOCK} and not granted`;
    await eventually(async () => ((await holder.query(waits)).rowCount === 0 ? null : true));
    const newer = [await add[name](), await add[name](), await add[name]()];
    const commit = async (): Promise<string> => {
      await release();
      return late;
    };
    return { cursor, newer, commit };
  };
  return { origin: origins.sandbox, secretKey, list };
}
