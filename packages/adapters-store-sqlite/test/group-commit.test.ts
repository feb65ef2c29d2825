import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@gateramp/conformance';
import { emptyChange, isOutage, type Change } from '@gateramp/core/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnection, type Connection } from '../src/connection.js';
import { openSqlite, sqliteStore } from '../src/index.js';
import { migrate, migrations } from '../src/migrations/migrate.js';

let folder: string;
let path: string;
const open: { close(): void }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  path = join(folder, 'gate.db');
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened<Kept extends { close(): void }>(kept: Kept): Kept {
  open.push(kept);
  return kept;
}

const counting = (name: string, delta = '1'): Change => ({
  ...emptyChange(rows.ACME, rows.T0),
  counters: [{ name, delta, atLeast: null }],
});

describe('commits that arrive together', () => {
  it('are one transaction', async () => {
    const batches: number[] = [];
    const store = opened(sqliteStore(path, { onCommitBatch: (writes) => batches.push(writes) }));
    await Promise.all(Array.from({ length: 20 }, (_, nth) => store.commit(counting(`c${nth}`))));
    expect(batches).toEqual([20]);
  });

  it('are each answered by themselves: one that is refused, or throws, disturbs none of its neighbours', async () => {
    const store = opened(sqliteStore(path));
    const { session } = rows.aSession();
    const insert: Change = { ...counting('inserts'), sessions: [{ row: session, expectedVersion: null }] };
    const outcomes = await Promise.allSettled([
      store.commit(insert),
      store.commit(insert),
      store.commit(counting('bad', '1e3')),
      store.commit(counting('good')),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.kind : 'threw'))).toEqual([
      'committed',
      'stale',
      'threw',
      'committed',
    ]);
    expect(await store.readCounters(rows.ACME, ['inserts', 'bad', 'good'])).toEqual(['1', '0', '1']);
  });

  it('roll back what a job has written before it threw', async () => {
    const database = opened(openSqlite(path));
    const outcomes = await Promise.allSettled([
      database.write((db) => db.run("insert into settings values ('kept', '1')")),
      database.write((db) => {
        db.run("insert into settings values ('gone', '1')");
        throw new Error('half way');
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(database.connection().all<{ name: string }>('select name from settings')).toEqual([{ name: 'kept' }]);
  });
});

it('a statement that fails disturbs no one else, then or later', async () => {
  const database = opened(openSqlite(path));
  const setting = (name: string) => (db: Connection) =>
    db.run('insert into settings (name, value) values (?, ?)', name, '1');
  await database.write(setting('there'));
  const outcomes = await Promise.allSettled(['before', 'there', 'after'].map((name) => database.write(setting(name))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await database.write(setting('later'));
  const names = database.connection().all<{ name: string }>('select name from settings order by name');
  expect(names.map(({ name }) => name)).toEqual(['after', 'before', 'later', 'there']);
});

describe('while another process writes', () => {
  let other: Connection;
  beforeEach(async () => {
    await sqliteReady();
    other = opened(openConnection(path));
    other.exec('begin immediate');
  });

  it('a commit waits, and the event loop does not', async () => {
    const store = opened(sqliteStore(path, { busyTimeoutMs: 60_000 }));
    let isDone = false;
    const committed = store.commit(counting('waits')).then((outcome) => ((isDone = true), outcome));
    const utilizations: number[] = [];
    for (let slice = 0; slice < 10; slice += 1) {
      const before = performance.eventLoopUtilization();
      for (let turn = 0; turn < 10; turn += 1) await aWhile();
      utilizations.push(performance.eventLoopUtilization(before).utilization);
    }
    // Other work on the machine adds to some of the slices; a wait that blocks the event loop would fill all of them.
    expect(Math.min(...utilizations)).toBeLessThan(0.6);
    expect(isDone).toBe(false);
    other.exec('commit');
    expect(await committed).toEqual({ kind: 'committed' });
  });

  it('reads answer what was committed last', async () => {
    other.exec("insert into settings values ('later', '1')");
    const store = opened(sqliteStore(path));
    expect(await store.readSetting('later')).toBeNull();
    other.exec('commit');
    expect(await store.readSetting('later')).toBe('1');
  });

  it('a commit is refused when its own time is up, however many came after it', async () => {
    const store = opened(sqliteStore(path, { busyTimeoutMs: 1_000 }));
    let isReported = false;
    const report = (error: unknown): void => {
      isReported = isOutage(error);
    };
    const first = store.commit(counting('first')).catch(report);
    const later: Promise<unknown>[] = [];
    const dontMind = (): null => null;
    while (!isReported) {
      later.push(store.commit(counting('later')).catch(dontMind));
      await aWhile();
    }
    other.exec('rollback');
    await first;
    expect((await Promise.all(later)).at(-1)).toEqual({ kind: 'committed' });
  });

  it('a commit that has waited too long is an outage', async () => {
    const store = opened(sqliteStore(path, { busyTimeoutMs: 50 }));
    await expect(store.commit(counting('late'))).rejects.toSatisfy(isOutage);
    other.exec('rollback');
    expect(await store.readCounters(rows.ACME, ['late'])).toEqual(['0']);
    expect(await store.commit(counting('late'))).toEqual({ kind: 'committed' });
  });
});

/** Several turns of the event loop. */
function aWhile(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

async function sqliteReady(): Promise<void> {
  const store = sqliteStore(path);
  await store.readSetting('any');
  store.close();
}

describe('a file', () => {
  it.each([
    ['a later', 99, 'written by a newer version'],
    ['an unreleased', 1, 'written by an unreleased version and cannot be upgraded'],
  ])('of %s version is refused with what is wrong', async (_, version, says) => {
    await sqliteReady();
    const other = openConnection(path);
    other.exec(`pragma user_version = ${version}`);
    other.close();
    await expect(opened(sqliteStore(path)).readSetting('any')).rejects.toThrow(says);
  });

  it('of an earlier version is brought up to date, once, and keeps what is in it', async () => {
    const store = sqliteStore(path);
    await store.swapSetting('pepper', null, 'kept');
    store.close();
    const next = [...migrations, 'alter table settings add column note text'];
    const connection = opened(openConnection(path));
    migrate(connection, next);
    migrate(connection, next);
    expect(connection.all('select * from settings')).toEqual([{ name: 'pepper', value: 'kept', note: null }]);
    expect(() => migrate(connection)).toThrow('written by a newer version');
  });

  it('that is not a database is an outage', async () => {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, 'no database at all, but long enough to be taken for one'.repeat(20));
    await expect(opened(sqliteStore(path)).readSetting('any')).rejects.toSatisfy(isOutage);
  });

  it('has to be one on a disk: in memory nothing would be kept', async () => {
    await expect(sqliteStore(':memory:').readSetting('any')).rejects.toThrow('must be a file on a local disk');
  });

  it('is closed for good: what waits to be written gets that answer, and nothing opens it again', async () => {
    const store = sqliteStore(path);
    await store.commit(counting('kept'));
    const late = store.commit(counting('late'));
    store.close();
    await expect(late).rejects.toSatisfy(isOutage);
    await expect(store.commit(counting('later'))).rejects.toSatisfy(isOutage);
    await expect(store.readCounters(rows.ACME, ['kept'])).rejects.toThrow('was closed');
    expect(await opened(sqliteStore(path)).readCounters(rows.ACME, ['kept', 'late', 'later'])).toEqual(['1', '0', '0']);
  });

  it('syncs every commit: WAL, synchronous full', () => {
    const connection = opened(openConnection(path));
    expect(connection.all('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(connection.all('pragma synchronous')).toEqual([{ synchronous: 2 }]);
  });
});
