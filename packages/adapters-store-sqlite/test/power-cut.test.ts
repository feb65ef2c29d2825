import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aCreate, keyRef, rows } from '@gateramp/conformance';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chance } from '../../../tests/chaos/lib/chance.js';
import {
  ALL_KEPT,
  DROPPED,
  filesAfterCut,
  torn,
  type DiskCall,
  type Fate,
} from '../../../tests/services/power-cut/disk-image.js';
import { forgetfulDisk, putFiles } from '../../../tests/services/power-cut/disk-journal.js';
import { openSqlite, sqliteStore } from '../src/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-power-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CREATES = 120;
const MOMENTS = Number(process.env['GATE_TEST_HISTORIES'] ?? 6);
const luck = chance(Number(process.env['GATE_TEST_SEED'] ?? 1));

/** One run of the store, as the calls to its disk. */
async function aLife(synchronous = 'full'): Promise<readonly DiskCall[]> {
  const disk = await forgetfulDisk(join(folder, 'disk'));
  const script = fileURLToPath(new URL('creator.ts', import.meta.url));
  const sql = new URL('../../../tools/lib/sql-in-node.mjs', import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      '--conditions=@gateramp/source',
      '--import',
      'tsx',
      '--import',
      sql,
      script,
      join(folder, 'disk'),
      String(CREATES),
      synchronous,
    ],
    { env: { ...process.env, ...disk.env }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  expect(await once(child, 'exit')).toEqual([0, null]);
  disk.outlive();
  return disk.calls();
}

/** A file as found after a power failure, and the keys answered by then. */
interface Found {
  readonly path: string;
  readonly answered: readonly string[];
}

let cuts = 0;

/** Each in a separate folder: a process shares its state of a file among all connections to it. */
function cutAt(calls: readonly DiskCall[], moment: number, fate: Fate): Found {
  const until = calls.slice(0, moment);
  const files = new Map(filesAfterCut(new Map(), until, fate));
  files.delete('answered');
  const after = join(folder, `after-${(cuts += 1)}`);
  putFiles(after, files);
  const written = until.filter(({ kind, name }) => kind === 'write' && name === 'answered');
  const answered = Buffer.concat(written.map(({ data }) => data))
    .toString()
    .split('\n')
    .slice(0, -1);
  return { path: join(after, 'gate.db'), answered };
}

/** The faults of the store found there; empty if there are none. */
async function faultsOf({ path, answered }: Found): Promise<readonly string[]> {
  const database = openSqlite(path);
  const store = sqliteStore(database);
  try {
    const db = database.connection();
    const count = (table: string): number => db.all<{ n: number }>(`select count(*) as n from ${table}`)[0]?.n ?? -1;
    const counts = ['idempotency_keys', 'sessions', 'events', 'deliveries'].map(count);
    const integrity = db.all<{ integrity_check: string }>('pragma integrity_check');
    const lost: string[] = [];
    for (const key of answered) {
      const stored = await store.findReply(keyRef(key), rows.T0);
      const id = stored?.kind === 'replay' ? stored.reply.replace('reply of ', '') : '';
      if ((await store.find('session', rows.ACME, id)) === null) lost.push(key);
    }
    const again = await store.commit(aCreate('after the cut'));
    return [
      ...(integrity[0]?.integrity_check === 'ok' ? [] : ['the file is broken']),
      ...(new Set(counts).size === 1 ? [] : [`a commit is there in part: ${counts.join(', ')}`]),
      ...(lost.length === 0 ? [] : [`lost: ${lost.length}`]),
      ...(again.kind === 'committed' ? [] : ['nothing can be written']),
    ];
  } finally {
    store.close();
  }
}

/** Right after an answer, when pending writes would be lost. */
function momentsOfAnswers(calls: readonly DiskCall[]): readonly number[] {
  return calls.flatMap(({ kind, name }, nth) => (kind === 'write' && name === 'answered' ? [nth + 1] : []));
}

const FATES: Readonly<Record<string, () => Fate>> = {
  'what was not synced is gone': () => DROPPED,
  'any sector of it may be there': () => torn(luck.next),
  'the disk outlived the machine': () => ALL_KEPT,
};

describe('after a power cut at any moment', () => {
  it('all that was answered is there, whole and once, whether or not other writes were synced', async () => {
    const calls = await aLife();
    const answers = momentsOfAnswers(calls);
    const any = Array.from({ length: MOMENTS }, () => luck.between(answers[0] ?? 0, calls.length));
    const moments = [...any, ...Array.from({ length: MOMENTS }, () => luck.pick(answers))];
    // Includes checkpoints, and the close of the last connection, which moves everything into the file and removes the log.
    expect(calls.filter(({ kind, name }) => kind === 'sync' && name === 'gate.db').length).toBeGreaterThan(3);
    expect(calls.at(-1)).toMatchObject({ kind: 'remove', name: 'gate.db-wal' });
    for (const moment of [...moments, calls.length - 1, calls.length])
      for (const [what, fateOf] of Object.entries(FATES)) {
        const faults = await faultsOf(cutAt(calls, moment, fateOf())).catch((error: unknown) => [String(error)]);
        expect(faults, `${what}, after ${moment} of ${calls.length} calls`).toEqual([]);
      }
  });

  it('something is missing where commits are not synced: the trial would notice', async () => {
    const calls = await aLife('normal');
    const found = [];
    for (let nth = 0; nth < MOMENTS; nth += 1)
      found.push(...(await faultsOf(cutAt(calls, luck.pick(momentsOfAnswers(calls)), DROPPED))));
    expect(found).toContainEqual(expect.stringContaining('lost'));
  });
});
