import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DROPPED } from '../power-cut/disk-image.js';
import { forgetfulDisk, type ForgetfulDisk } from '../power-cut/disk-journal.js';

let folder: string;
let disk: ForgetfulDisk;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gate-journal-'));
  disk = await forgetfulDisk(join(folder, 'disk'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string): string => join(folder, 'disk', name);

/** Runs a process on that disk, which ends before this returns. */
function life(script: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['-e', `const fs = require('node:fs'); ${script}`], {
    env: { ...process.env, ...disk.env },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
}

it('keeps what was synced by a process, and forgets the rest when the power fails', () => {
  life(
    `fs.writeFileSync('${path('kept')}', 'kept', { flush: true }); fs.fsyncSync(fs.openSync('${join(folder, 'disk')}'))`,
  );
  life(`fs.writeFileSync('${path('lost')}', 'lost', { flush: true }); fs.appendFileSync('${path('kept')}', ' not')`);
  expect(disk.cut(DROPPED)).toBe(1);
  expect(readFileSync(path('kept'), 'utf8')).toBe('kept');
  expect(() => readFileSync(path('lost'))).toThrow('ENOENT');
});

it('goes on behind a note that a killed process has left half written', () => {
  life(`fs.writeFileSync('${path('one')}', 'one')`);
  // The beginning of the record of a write, as left by a process that was killed while writing it.
  appendFileSync(`${join(folder, 'disk')}.journal`, Buffer.from([0x77, 3, 255, 0, 0, 0, 0, 0]));
  disk.outlive();
  life(`fs.writeFileSync('${path('two')}', 'two')`);
  disk.outlive();
  expect(disk.calls().map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'create one',
    'write one',
    'create two',
    'write two',
  ]);
});
