import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DROPPED } from '../../../tests/services/power-cut/disk-image.js';
import { forgetfulDisk } from '../../../tests/services/power-cut/disk-journal.js';

const DATA_DIR = new URL('../src/data-dir/data-dir.ts', import.meta.url).href;
const SQL = new URL('../../../tools/lib/sql-in-node.mjs', import.meta.url).href;

it(
  'the master key of a new folder outlives a power cut from the moment it can seal anything',
  { timeout: 60_000 },
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'gateramp-key-'));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    const dir = join(parent, 'data');
    const disk = await forgetfulDisk(dir);
    const script = `import { masterKeyOf } from '${DATA_DIR}';
    process.stdout.write(Buffer.from(masterKeyOf(process.argv[1], { makes: true })).toString('base64'));`;
    const words = [
      '--conditions=@gateramp/source',
      '--import',
      'tsx',
      '--import',
      SQL,
      '--input-type=module',
      '-e',
      script,
      dir,
    ];
    const made = spawnSync(process.execPath, words, { env: { ...process.env, ...disk.env }, encoding: 'utf8' });
    expect(made.stderr).toBe('');
    disk.cut(DROPPED);
    expect(readFileSync(join(dir, 'master.key'), 'utf8')).toBe(`${made.stdout}\n`);
    // Without its name the next start would take the database for lost.
    expect(existsSync(join(dir, 'gate.db'))).toBe(true);
  },
);
