import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchSqliteLists } from '../lists/sqlite-lists.mjs';
import { startServer } from '../lib/server.mjs';
import { compareSides } from './compare-sides.mjs';
import { creates } from './requests.mjs';

/**
 * Compares the engine on a file with a hand-written Fastify + libsql server that has its own tables
 * (`servers/bare-sqlite.mjs`). Both sync before they answer. Each run has a new file on the disk of this repository,
 * because a temporary folder may be in memory.
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
