import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DROPPED } from '../../../tests/services/power-cut/disk-image.js';
import { forgetfulDisk } from '../../../tests/services/power-cut/disk-journal.js';

const DATA_DIR = new URL('../src/data-dir/data-dir.ts', import.meta.url).href;
const SQL = new URL('../../../tools/lib/sql-in-node.mjs', import.meta.url).href;

it('the master key of a new folder outlives a power cut from the moment it can seal anything', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gateramp-key-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const dir = join(parent, 'data');
  const disk = await forgetfulDisk(dir);
  const script = `import { masterKeyOf, openDataFile } from '${DATA_DIR}';
    openDataFile(process.argv[1]);
    const key = masterKeyOf(process.argv[1], { makes: true, isSealed: false });
    process.stdout.write(Buffer.from(key).toString('base64'), () => process.kill(process.pid, 'SIGKILL'));`;
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
  // Without content, the next start would consider the database lost.
  expect(statSync(join(dir, 'gate.db')).size).toBeGreaterThan(0);
});
