import { type AuditEntry, type Lane, sandboxEndpoint } from '@gateramp/core/domain';
import {
  type AuditStore,
  type ConsumerName,
  type ConsumerRegistry,
  type ConsumerStore,
  type SandboxHolds,
  type Settings,
  STEPPED_LEASE,
} from '@gateramp/core/ports';
import type { Database } from './database.js';
import type { Distribution } from './distribution/distribution.js';
import { InstallationError } from './errors.js';
import { parseRow, type RowText } from './reads/row-by-key.js';

interface ConsumerRow extends ConsumerName {
  readonly is_removed: boolean;
  readonly version: string;
}

/** The in-process consumers of all processes. Each change is one statement that is serialized with the others. */
export function consumers(database: Database, schema: string): ConsumerStore {
  const read = `select name, type, is_removed, version from "${schema}".consumers order by name, type`;
  return {
    async readConsumers(): Promise<ConsumerRegistry> {
      const rows = await database.query<ConsumerRow>(read, []);
      const version = rows.reduce((latest, row) => Math.max(latest, Number(row.version)), 0);
      return { version, consumers: rows.map(({ name, type, is_removed: isRemoved }) => ({ name, type, isRemoved })) };
    },
    async registerConsumers(names) {
      await database.query(`select "${schema}".register_consumers($1)`, [JSON.stringify(names)]);
    },
    async removeConsumer(name, audit = null) {
      const text = `select "${schema}".remove_consumer($1) where "${schema}".append_audit($2::json)`;
      const rows = await database.query(text, [name, audit === null ? null : JSON.stringify(audit)]);
      return rows.length > 0 ? 'removed' : 'stale';
    },
  };
}

/** The audit trail; commits and saves add to it. */
export function audit(database: Database, schema: string): AuditStore {
  return {
    async listAudit({ partnerId, mode, requestId, action, actor, from, to, order, beyond, limit }) {
      const [comparison, direction] = order === 'oldest_first' ? ['>', 'asc'] : ['<', 'desc'];
      const noun = action?.includes('.') === true ? "row ->> 'action'" : "split_part(row ->> 'action', '.', 1)";
      const wanted: Readonly<Record<string, unknown>> = {
        [`sequence ${comparison} ?`]: beyond,
        'partner_id = ?': partnerId,
        "coalesce(row ->> 'mode' = ?, true)": mode,
        'request_id = ?': requestId,
        [`(${noun}) collate "C" = ?`]: action,
        "(row ->> 'at')::bigint >= ?": from,
        "(row ->> 'at')::bigint < ?": to,
      };
      const filters = Object.entries(wanted).filter(([, value]) => value !== null);
      const values = [limit, ...filters.map(([, value]) => value), ...(actor === null ? [] : [actor])];
      const conditions = filters.map(([condition], nth) => condition.replace('?', () => `$${nth + 2}`));
      // The id of an actor and that of an access have an index each, so that either is read in order.
      const [actorId, accessId] = ['id', 'accessId'].map((name) => `(row #>> '{actor,${name}}') collate "C"`);
      const of = `$${values.length}`;
      const actors = actor === null ? [[]] : [[`${actorId} = ${of}`], [`${accessId} = ${of}`, `${actorId} <> ${of}`]];
      const texts = actors.map((ids) => {
        const where = ['true', ...conditions, ...ids].join(' and ');
        return `select sequence, row from "${schema}".audit_entries where ${where}`;
      });
      const text = `select row::text as row from (${texts.join(' union all ')}) as e order by sequence ${direction} limit $1`;
      return (await database.query<RowText>(text, values)).map((row) => parseRow<AuditEntry>(row));
    },
  };
}

interface ValueRow {
  readonly value: string;
}

/** The initial setting of an installation. A new value would invalidate all rows that were created with the old one. */
const FIRST = 'pepper';

const HOLD = 'test_clock_stepping/';

/** Holds on sandboxes are settings, which claims read (`times_of_claim`). They are deleted when they are released. */
export function sandboxHolds(database: Database, schema: string): SandboxHolds {
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
  const end = (value: string) => `split_part(${value}, ' ', 2)::bigint`;
  const hasToken = `split_part(s.value, ' ', 1) = $2`;
  const keep = `update "${schema}".settings s set value = $2 || ' ' || (${now} + $3::bigint)
    where s.name = $1 and ${hasToken} and ${end('s.value')} > ${now} returning 1`;
  const take = `insert into "${schema}".settings as s (name, value) values ($1, $2 || ' ' || (${now} + $3::bigint))
    on conflict (name) do update set value = excluded.value where ${hasToken} or ${end('s.value')} <= ${now} returning 1`;
  const free = `delete from "${schema}".settings s where s.name = $1 and ${hasToken}`;
  const isStepped = `lease_token like '${STEPPED_LEASE}%'`;
  const lanesOf = `select lane from "${schema}".lanes_of('test') as lanes(lane)`;
  const worked = `select 1 from "${schema}".tasks
      where mode = 'test' and row ->> 'partnerId' = $1 and free_at > $2 and lease_until > $2 and not ${isStepped}
    union all
    select 1 from unnest($3::text[], $4::text[]) as l(lane, endpoint)
    cross join lateral (
      select 1 from "${schema}".delivery_queue q where q.lane = l.lane and q.endpoint = l.endpoint and q.lease_until > $2 and not ${isStepped}
      limit 1) d
    limit 1`;
  return {
    async hold(partnerId, token, holdMs) {
      const values = [HOLD + partnerId, token, holdMs];
      if ((await database.query(keep, values)).length > 0) return 'kept';
      if ((await database.query(take, values)).length === 0) return 'taken';
      await database.query(`select "${schema}".claims_of_sandboxes_end()`, []);
      return 'new';
    },
    async release(partnerId, token) {
      await database.query(free, [HOLD + partnerId, token]);
    },
    async isWorkedOn(partnerId, at) {
      const lanes = (await database.query<{ lane: Lane }>(lanesOf, [])).map(({ lane }) => lane);
      const endpoints = lanes.map((lane) => sandboxEndpoint(partnerId, lane));
      return (await database.query(worked, [partnerId, at, lanes, endpoints])).length > 0;
    },
  };
}

/** Small values of the installation. Each swap is one statement: it writes only if the stored value is as expected. */
export function settings(
  database: Database,
  { schema, distribution }: { readonly schema: string; readonly distribution: Distribution | null },
): Settings {
  const read = `select value from "${schema}".settings where name = $1`;
  const hasRows = `select 1 from "${schema}".sessions limit 1`;
  // On distributed tables the condition is read before: no statement may write one kind of table and read the other.
  const insertAlone = `insert into "${schema}".settings (name, value) values ($1, $2) on conflict (name) do nothing`;
  const insert = `insert into "${schema}".settings (name, value) select $1, $2
    where $1 <> '${FIRST}' or not exists (select from "${schema}".sessions) and not exists (select from "${schema}".idempotency_keys)
    on conflict (name) do nothing`;
  const replace = `update "${schema}".settings set value = $3 where name = $1 and value = $2`;
  const readSetting = async (name: string): Promise<string | null> =>
    (await database.query<ValueRow>(read, [name]))[0]?.value ?? null;
  const list = `select name, value from "${schema}".settings where name >= $1 and name < $2`;
  return {
    readSetting,
    async listSettings(prefix) {
      const rows = await database.query<ValueRow & { readonly name: string }>(list, [prefix, `${prefix}\u{10ffff}`]);
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    async swapSetting(name, expected, value) {
      if (expected === null && distribution !== null) {
        if (name !== FIRST || (await database.query(hasRows, [])).length === 0)
          await database.query(insertAlone, [name, value]);
      } else if (expected === null) await database.query(insert, [name, value]);
      else await database.query(replace, [name, expected, value]);
      const present = await readSetting(name);
      if (present === null && name === FIRST) {
        throw new InstallationError(
          `The ${FIRST} is missing from "${schema}".settings, but there are sessions or idempotency keys created with it, which cannot be used without it. ` +
            'Restore that row from a backup, or empty all tables if their rows are not needed.',
        );
      }
      if (present === null) throw new Error(`The setting ${name} is missing, although settings are never deleted.`);
      return present;
    },
  };
}
