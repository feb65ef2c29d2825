import { TEST_KEYS, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import type pg from 'pg';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const SPREAD_MS = 30 * 24 * 3_600_000;

interface Copied {
  readonly schema: string;
  /** Sessions of each of the lives below. */
  readonly count: number;
}

/** Ids of one session and of all that belongs to it. */
interface Life {
  readonly session: string;
  readonly others: readonly string[];
}

/**
 * Lets a few sessions live on a gate over Postgres (paid, failed, open), and copies their rows `count` times each over the last 30 days,
 * with ids of their own, by SQL: as many creates would take minutes.
 */
export async function manySessions(pool: pg.Pool, test: TestGate, { schema, count }: Copied): Promise<void> {
  const lives = [await live(test, 'succeed'), await live(test, 'decline'), await live(test, null)];
  await test.gate.runDue();
  const now = test.gate.clock.now(SCOPE);
  for (const [nth, session] of lives.entries()) {
    const life = await lifeOf(test, session);
    for (const [table, columns] of Object.entries(TABLES))
      await copy(pool, { schema, table, now: now + nth, count }, columns, life);
  }
  await pool.query(
    `insert into "${schema}".audit_entries (sequence, partner_id, request_id, row)
     select m.last + n, a.partner_id, a.request_id, a.row from generate_series(1, $1::int) n
     cross join (select max(sequence) as last from "${schema}".audit_entries) m
     cross join (select * from "${schema}".audit_entries where partner_id is not null order by sequence limit 1) a`,
    [count],
  );
  await pool.query(
    `insert into "${schema}".tasks (id, mode, free_at, lease_token, lease_until, claims, done_at, row)
     select lpad(to_hex(n), 24, '0'), 'test', null, null, null, 1, 1, '{"kind":"hold_alarm","failures":0}'::json
     from generate_series(1, $1::int) n`,
    [count],
  );
  // Of this schema alone: statistics of others would change the plans that other tests keep.
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
    [schema],
  );
  await pool.query(`vacuum analyze ${tables.map(({ name }) => name).join(', ')}`);
}

async function live(test: TestGate, scenario: string | null): Promise<string> {
  const made = await test.gate.sessions.create(SCOPE, {
    amount: '100.00',
    currency: 'EUR',
    return_url: 'https://shop.example/done',
    user_reference: `user of ${scenario}`,
  });
  if (made.isErr()) throw new Error(made.error.message);
  const { id } = made.value;
  if (scenario !== null) {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    const answer = await test.request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario } });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return id;
}

async function lifeOf({ gate }: TestGate, session: string): Promise<Life> {
  const query = { session_id: session, limit: 100 };
  const [transactions, events, deliveries] = [
    await gate.transactions.list(SCOPE, query),
    await gate.events.list(SCOPE, query),
    await gate.webhooks.deliveries.list(SCOPE, query),
  ];
  const ids: string[] = [];
  for (const list of [transactions, events, deliveries])
    if (list.isOk()) ids.push(...list.value.data.map(({ id }) => id));
  if (transactions.isOk()) ids.push(...transactions.value.data.map((one) => one.intent_id));
  return { session, others: ids };
}

type Kind = 'text' | 'json' | 'time' | 'expiry' | 'number';

/** The columns of each table that differ in a copy: texts that contain ids of the life, and numbered ones. */
const TABLES: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  sessions: { id: 'text', created_at: 'time', expires_at: 'expiry', row: 'json' },
  intents: { id: 'text', operation_id: 'number', row: 'json' },
  transactions: { id: 'text', session_id: 'text', created_at: 'time', row: 'json' },
  events: { id: 'text', session_id: 'text', created_at: 'time', body: 'text' },
  deliveries: { id: 'text', event_id: 'text', created_at: 'time', row: 'json' },
};

async function copy(
  pool: pg.Pool,
  { schema, table, now, count }: Copied & { readonly table: string; readonly now: number },
  changed: Readonly<Record<string, Kind>>,
  { session, others }: Life,
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' order by ordinal_position`,
    [schema, table],
  );
  const names = rows.map(({ name }) => name);
  // Ids begin with their time, after `gtx_` in another alphabet; of the others, only the end changes.
  const time = `(${now - SPREAD_MS} + n * ${Math.floor(SPREAD_MS / (count + 1))}::bigint)`;
  const ids = [session, ...others];
  const found = await pool.query<Readonly<Record<string, unknown>>>(
    `select * from "${schema}".${table} where id = any($1)`,
    [ids],
  );
  for (const row of found.rows) {
    const valueOf = (name: string): string => {
      const kind = changed[name];
      if (kind === undefined) return `t.${name}`;
      if (kind === 'time') return time;
      if (kind === 'expiry') return `${time} + (t.expires_at - t.created_at)`;
      if (kind === 'number') return `t.${name} || n`;
      const text = JSON.stringify(row[name]);
      const replaced = ids
        .filter((id) => text.includes(id))
        .reduce((sum, id) => `replace(${sum}, '${id}', ${copyOf(id, time)})`, `t.${name}::text`);
      if (kind === 'text') return replaced;
      return `regexp_replace(${replaced}, '"createdAt":\\d+', '"createdAt":' || ${time})::json`;
    };
    await pool.query(
      `insert into "${schema}".${table} (${names.join(', ')})
       select ${names.map(valueOf).join(', ')} from generate_series(1, $1::int) n
       cross join (select * from "${schema}".${table} where id = $2) t`,
      [count, row['id']],
    );
  }
}

/** The end of an id stays, by which those of one life differ. */
function copyOf(id: string, time: string): string {
  // Object ids begin with twelve digits of time.
  if (/^[0-9a-f]{24}$/.test(id)) return `lpad(to_hex(${time}), 12, '0') || '${id.slice(12)}'`;
  return `'${id.slice(0, 6)}' || lpad(to_hex(n), 8, '0') || '${id.slice(14)}'`;
}
