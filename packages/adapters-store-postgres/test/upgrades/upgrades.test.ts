import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testDatabaseUrl } from '../../../../tests/services/test-postgres.js';
import { migrations, type Migration } from '../../src/index.js';
import { aSchemaName, freshSchema, testPool } from '../postgres-subject.js';
import { describedSchema } from './described-schema.js';
import { makeRelease } from './make-release.js';
import { scratchDatabase } from '../../../../tests/services/scratch-database.js';
import { shortest } from '../../../../tests/services/stopwatch.js';
import { concurrentIndex } from '../../src/migrations/concurrent-index.js';
import { migrateTo } from '../../src/migrations/migrate.js';
import { inSchema, USABLE_FROM } from '../../src/migrations/migrations.js';
import { excessWithReader } from './with-reader.js';
import { repeated, restore, upgradeUnderLoad } from './play-release.js';
import { fingerprints, releases, versionOf, writeRelease, type Release } from './release.js';
import { answers, aShop } from './shop-life.js';

/** How long `pg_dump` holds its locks on a small database. */
const READER_MS = 20_000;
/** Long enough for waits to be known from those of a busy machine. */
const PLANTED_READER_MS = 10_000;

/** Changes to tables in use that a later version may make, so that there is always an upgrade to test. */
const NEXT = [
  "alter table gate.sessions add column note text not null default ''",
  'create index concurrently sessions_noted on gate.sessions (note)',
  'create table gate.notes (id text primary key)',
  'drop index concurrently gate.sessions_noted',
];

/** The migrations of this version, or the first `count` of them, followed by these. */
const followedBy = (schema: string, sources: readonly string[], count?: number): readonly Migration[] => {
  const known = migrations(schema).slice(0, count);
  const next = sources.map((sql, nth) => ({
    number: known.length + nth + 1,
    name: `next-${nth + 1}`,
    sql: inSchema(sql, schema),
  }));
  return [...known, ...next];
};

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('the version of this package is a release that can be upgraded from (npm run release:database writes it)', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  if (process.env['GATERAMP_WRITE_RELEASE'] === '1') writeRelease(await recordNow(version));
  expect(releases().map((release) => release.version)).toContain(version);
});

it('a version may be followed by one, and restarted after it: the rollback window begins at the release before this one, or the first', () => {
  const counts = releases().map(({ migrations: taken }) => taken.length);
  expect(USABLE_FROM).toBe(Math.max(1, ...counts.filter((count) => count < migrations('gate').length)));
});

describe.each(releases())('a database of $version', (release: Release) => {
  it('was made with the migrations that this version begins with, none of them edited since', () => {
    expect(fingerprints().slice(0, release.migrations.length)).toEqual(release.migrations);
  });

  it('is migrated while processes of that version work on, who hear what they always heard', async () => {
    const schema = aSchemaName();
    expect(release.statements.length).toBeGreaterThan(100);
    expect(await upgradeUnderLoad(release, heldOpen(followedBy(schema, NEXT), release), pool, schema)).toEqual([]);
  });

  it('may be served by that version again once it is migrated, and by none that is older', async () => {
    const schema = aSchemaName();
    await restore(release, pool, schema);
    await migrateTo({ known: followedBy(schema, NEXT), usableFrom: release.migrations.length }, pool, schema);
    const before = versionOf(release, schema);
    expect(await migrateTo(before, pool, schema)).toEqual([]);
    expect(await repeated(release, pool, schema)).toEqual([]);
    const older = { ...before, known: before.known.slice(0, -1) };
    await expect(migrateTo(older, pool, schema)).rejects.toThrow(
      'A database supports only the version directly before its own',
    );
  });

  const excess = async (sources: readonly string[], readerMs: number, count?: number): Promise<number> => {
    const { url } = await scratchDatabase();
    const own = new pg.Pool({ connectionString: url, max: 8 });
    onTestFinished(() => own.end());
    const schema = aSchemaName();
    await restore(release, own, schema);
    const target = { known: followedBy(schema, sources, count), usableFrom: release.migrations.length };
    return excessWithReader(release, own, schema, { target, readerMs });
  };

  it('is migrated during a read of 20 s, and no create and no read waits for over a second', async () => {
    expect(await shortest(() => excess(NEXT, READER_MS), 0)).toBeLessThan(0);
  });

  it.each([
    [
      'waits for its lock as long as the reader reads',
      'set local lock_timeout = 0; alter table gate.sessions add column note text',
    ],
    [
      'keeps others from a table that no create touches',
      'set local lock_timeout = 0; alter table gate.kyc_packages add column note text',
    ],
    [
      'has its lock, and keeps it for long',
      'create table gate.notes (id text); lock table gate.events in share mode; select pg_sleep(8)',
    ],
  ])('is known from a migration that %s', async (_, sql) => {
    // Directly after those of the release: an index that is built concurrently would wait for the reader first.
    expect(await excess([sql], PLANTED_READER_MS, release.migrations.length)).toBeGreaterThan(0);
  });

  it('has the schema of a new database once it is migrated', async () => {
    const schema = aSchemaName();
    await upgradeUnderLoad(release, followedBy(schema, NEXT), pool, schema);
    expect(await describedSchema(pool, schema)).toEqual(await newSchema(NEXT));
  });

  it('is detected if a migration leaves another schema than a new database has', async () => {
    const onlyWithRows = `do $$ begin
      if exists (select from gate.sessions) then alter table gate.sessions add column note text; end if;
    end $$`;
    const schema = aSchemaName();
    await upgradeUnderLoad(release, followedBy(schema, [onlyWithRows]), pool, schema);
    expect(await describedSchema(pool, schema)).not.toEqual(await newSchema([onlyWithRows]));
  });

  it('shows partners of this version what it showed before, and what was owed is done', async () => {
    const schema = aSchemaName();
    await upgradeUnderLoad(release, followedBy(schema, NEXT), pool, schema);
    const t = await aShop(pool, schema, 'upgraded', release.now);
    expect(await answers(t)).toMatchObject(release.answers);
    const granted: string[] = [];
    t.gate.on('gate_session.completed', 'grant-value', ({ id }) => void granted.push(id));
    await t.clock.advance('3d');
    expect(granted).not.toHaveLength(0);
    expect(await t.store.nextDue('test')).toBeNull();
    const { id } = await t.createSession();
    await t.settle(id);
    await t.clock.advance('1h');
    expect(await t.retrieveSession(id)).toMatchObject({ status: 'completed' });
    expect(t.deliveries().filter(({ data }) => data['id'] === id)).toHaveLength(3);
  });
});

describe('an upgrade', () => {
  it.each([
    [
      'adds a column, an index and a table',
      `
      alter table gate.sessions add column note text not null default '';
      create index sessions_noted on gate.sessions (note);
      create table gate.notes (id text primary key);`,
      null,
    ],
    ['takes a function away', 'drop function gate.record_deliveries', '42883'],
    [
      'takes away a function that the recording does not call',
      'drop function gate.remove_consumer',
      'remove_consumer(text) is gone',
    ],
    [
      'asks for more than the version before gives',
      "alter table gate.tasks add column owner text not null default ''; alter table gate.tasks alter column owner drop default",
      '23502',
    ],
    ['loses rows', `delete from gate.idempotency_keys`, 'before'],
    [
      'gives a function another answer',
      `
      create or replace function gate.next_due_from(p_mode text, p_lanes text[], p_froms bigint[], p_tasks_from bigint)
      returns table (kind text, id text, free_at bigint) language sql stable as $$ select '', '', 0::bigint where false $$`,
      'before',
    ],
  ] as const)('that %s is known from one that breaks nothing', async (_, sql, fault) => {
    const schema = aSchemaName();
    const [release] = releases();
    if (release === undefined) throw new Error('There is no release.');
    const known = heldOpen(followedBy(schema, [sql]), release);
    const surprises = await upgradeUnderLoad(release, known, pool, schema);
    if (fault === null) expect(surprises).toEqual([]);
    else expect(surprises.join('\n')).toContain(fault);
  });
});

/** Holds the locks of migrations that the release lacks for a while, so that other statements meet them. */
function heldOpen(known: readonly Migration[], { migrations: taken }: Release): readonly Migration[] {
  const last = known.findLast(({ sql }) => concurrentIndex(sql) === null);
  return known.map((one) =>
    one === last && one.number > taken.length ? { ...one, sql: `${one.sql}; select pg_sleep(0.3)` } : one,
  );
}

async function newSchema(sources: readonly string[]): Promise<readonly string[]> {
  const schema = aSchemaName();
  await migrateTo({ known: followedBy(schema, sources), usableFrom: 0 }, pool, schema);
  return describedSchema(pool, schema);
}

async function recordNow(version: string): Promise<Release> {
  const one = new pg.Pool({ connectionString: await testDatabaseUrl(), max: 1 });
  try {
    return await makeRelease(version, one, await freshSchema(one));
  } finally {
    await one.end();
  }
}
