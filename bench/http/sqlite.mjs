import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchSqliteLists } from '../lists/sqlite-lists.mjs';
import { startServer } from '../lib/server.mjs';
import { compareSides } from './compare-sides.mjs';
import { creates } from './requests.mjs';

/**
 * The engine over a file against a Fastify + libsql server written by hand over tables made for it
 * (`servers/bare-sqlite.mjs`), both synced before they answer. A file of its own for each run, on the disk of this
 * repository: a temporary folder may be memory.
 */
export async function benchSqlite({ rounds, seconds }) {
  const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.cache/bench-sqlite-'));
  let made = 0;
  const side = (script) => ({
    start: () => startServer(script, { BENCH_DATABASE_FILE: join(folder, `${(made += 1)}.db`) }),
    requestFor: creates,
  });
  try {
    const create = await compareSides({
      title: 'SQLite: create, 32 connections',
      ...{ rounds, seconds, atLeast: 0.8, aim: 2, connections: 32, expect: 201 },
      baseline: side('bare-sqlite.mjs'),
      ours: side('gate-sqlite.mjs'),
    });
    return [create, await benchSqliteLists({ folder, rounds })];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
