import type { ExportRows, ExportKind, ExportCursor, ExportSource } from '@gateramp/store-move';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallationError, migrations, postgresLoad } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { shelves } from '../src/load/shelves.js';
import { aSchemaName, freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** A source with this many marks and settings, and nothing else. */
function source(many: number): ExportSource {
  const names = Array.from({ length: many }, (_, nth) => `name-${String(nth).padStart(3, '0')}`);
  const kept: { readonly [Kind in ExportKind]?: readonly ExportRows[Kind][] } = {
    mark: names.map((mark) => ({ mark })),
    setting: names.map((name) => ({ name, value: `value of ${name}` })),
  };
  return {
    count: (kind) => kept[kind]?.length ?? 0,
    read: <Kind extends ExportKind>(kind: Kind, after: ExportCursor | null, limit: number) => {
      const from = after === null ? 0 : Number(after[0]);
      const all: readonly ExportRows[Kind][] = kept[kind] ?? [];
      const rows = all.slice(from, from + limit);
      return { rows, next: rows.length < limit ? null : [from + limit] };
    },
  };
}

const marks = async (schema: string): Promise<readonly string[]> =>
  (await pool.query<{ mark: string }>(`select mark from ${schema}.once_marks order by 1`)).rows.map(({ mark }) => mark);

const refusal = (schema: string, id: string) =>
  postgresLoad(pool, source(3), { id, schema }).then(
    () => 'It was not refused.',
    (error: unknown) => (error instanceof InstallationError ? error.message : error),
  );

describe('a load', () => {
  it('writes every column of every table that is not made by Postgres itself', async () => {
    const schema = await freshSchema(pool);
    // Keys of events are stored apart only while events are partitioned, and what lists have shown matters only to running commits.
    const { rows } = await pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = $1 and table_name not in ('migrations', 'event_keys', 'shown_events') and is_generated = 'NEVER'`,
      [schema],
    );
    const written = Object.values(shelves)
      .flat()
      .flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));
    expect(written.sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it('makes the tables, and goes on where it was when it is begun again', async () => {
    const schema = aSchemaName();
    const copies: number[] = [];
    const ended = await postgresLoad(pool, source(10), {
      id: 'one',
      schema,
      batchRows: 4,
      onProgress: ({ kind, copied }) => {
        if (kind === 'mark') copies.push(copied);
        if (copied === 8) throw new Error('The process ends.');
      },
    }).catch((error: unknown) => String(error));
    expect([ended, copies, (await marks(schema)).length]).toEqual(['Error: The process ends.', [4, 8], 8]);

    const again: number[] = [];
    const onProgress = ({ kind, copied }: { kind: ExportKind; copied: number }): void =>
      void (kind === 'mark' && again.push(copied));
    await postgresLoad(pool, source(10), { id: 'one', schema, batchRows: 4, onProgress });
    expect(again).toEqual([10]);
    expect(await marks(schema)).toEqual(Array.from({ length: 10 }, (_, nth) => `name-00${nth}`));
    const store = postgresStore(pool, { schema });
    expect(await store.readSetting('name-009')).toBe('value of name-009');
    expect(await store.readSetting('move')).toBe('{"state":"arrived","id":"one"}');

    await postgresLoad(pool, source(10), { id: 'one', schema });
    expect(await marks(schema)).toHaveLength(10);
  });

  it('refuses a schema that has rows, and leaves them as they are', async () => {
    const schema = await freshSchema(pool);
    await postgresStore(pool, { schema }).swapSetting('pepper', null, 'of another');
    expect(await refusal(schema, 'one')).toBe(
      `The schema "${schema}" is not empty: it has rows in settings. Empty the database, or choose another one.`,
    );
    expect(await marks(schema)).toEqual([]);
  });

  it('refuses a schema that another move has come into, whether that has ended or not', async () => {
    const schema = aSchemaName();
    await postgresLoad(pool, source(3), {
      id: 'one',
      schema,
      onProgress: () => {
        throw new Error('cut');
      },
    }).catch(() => undefined);
    expect(await refusal(schema, 'two')).toMatch(/^The schema ".*" holds the data of another move/);
    await postgresLoad(pool, source(3), { id: 'one', schema });
    expect(await refusal(schema, 'two')).toMatch(/^The schema ".*" holds the data of another move/);
    expect(await marks(schema)).toHaveLength(3);
  });

  it('lets no second process of the same move bring a row twice', async () => {
    const schema = aSchemaName();
    const load = (onProgress?: () => void): Promise<unknown> =>
      postgresLoad(pool, source(30), { id: 'one', schema, batchRows: 4, ...(onProgress && { onProgress }) }).catch(
        (error: unknown) => error,
      );
    await load(() => {
      throw new Error('The process ends.');
    });
    // Both loads read the same position, then wait for this lock to advance it.
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(`select from ${schema}.settings where name = 'move' for update`);
    const loads = [load(), load()];
    const waiting = `select count(*)::int as many from pg_stat_activity where wait_event_type = 'Lock' and query like $1`;
    await expect
      .poll(async () => (await pool.query<{ many: number }>(waiting, [`update "${schema}".settings%`])).rows[0]?.many)
      .toBe(2);
    await holder.query('commit');
    holder.release();
    const ends = await Promise.all(loads);
    expect(ends.filter((end) => end instanceof InstallationError).length).toBe(1);
    expect(ends).toContain(undefined);
    expect(await marks(schema)).toHaveLength(30);
  });

  it('refuses a schema of a newer version', async () => {
    const schema = await freshSchema(pool);
    await pool.query(`insert into ${schema}.migrations (number, name) values ($1, 'of tomorrow')`, [
      migrations(schema).length + 1,
    ]);
    expect(await refusal(schema, 'one')).toMatch(/belongs to a newer version of Gateramp/);
    expect(await marks(schema)).toEqual([]);
  });
});
