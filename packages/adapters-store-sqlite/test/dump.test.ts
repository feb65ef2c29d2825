import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPORT_KINDS, type ExportCursor } from '@gateramp/store-move';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, sqliteDump, sqliteStore, type SqliteDatabase } from '../src/index.js';
import { shelves } from '../src/shelves.js';

let folder: string;
let file: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  file = openSqlite(join(folder, 'gate.db'));
});
afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Derived from the deliveries by triggers; and only needed while events are committed by several processes. */
const NOT_MOVED = ['queue_heads', 'shown_events'];

describe('a dump', () => {
  it('reads every column that is stored, of every table', () => {
    const stored = file
      .connection()
      .all<{ table: string; column: string }>(
        `select t.name as "table", c.name as "column" from pragma_table_list t, pragma_table_xinfo(t.name) c
         where t.schema = 'main' and t.name not like 'sqlite%' and c.hidden = 0`,
      )
      .filter(({ table }) => !NOT_MOVED.includes(table))
      .map(({ table, column }) => `${table}.${column}`);
    const read = Object.values(shelves).flatMap(({ reads }) => reads);
    expect(read.sort()).toEqual(stored.sort());
  });

  it('has a kind for each table, and all of them in the order of the kinds', () => {
    expect(Object.keys(shelves).sort()).toEqual([...EXPORT_KINDS].sort());
  });

  it('gives all rows of a kind once, page by page', async () => {
    const store = sqliteStore(file);
    const names = Array.from({ length: 7 }, (_, nth) => `setting-${nth}`);
    for (const name of names) await store.swapSetting(name, null, 'value');
    for (const limit of [1, 3, 7, 10]) {
      const found: string[] = [];
      let after: ExportCursor | null = null;
      do {
        const page: ReturnType<typeof read> = read(after, limit);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        found.push(...page.rows.map(({ name }) => name));
        after = page.next;
      } while (after !== null);
      expect(found).toEqual(names);
    }
    expect(sqliteDump(file).count('setting')).toBe(7);
  });

  it('keeps every writer away while it is read', async () => {
    const other = openSqlite(file.path, { busyTimeoutMs: 30 });
    const write = () => sqliteStore(other).swapSetting('a', null, 'value');
    await sqliteDump(file).whileStill(async () => {
      await expect(write()).rejects.toMatchObject({ outage: true });
      expect(sqliteDump(file).count('setting')).toBe(0);
    });
    expect(await write()).toBe('value');
    other.close();
  });
});

function read(after: ExportCursor | null, limit: number) {
  return sqliteDump(file).read('setting', after, limit);
}
