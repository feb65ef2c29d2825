import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyNative, runAccount } from '../postgres-binaries.js';

/** Two folders: the one that npm unpacked, which only its owner may read, and the target of the copy. */
let unpacked: string;
let draft: string;
beforeEach(() => {
  [unpacked, draft] = [
    mkdtempSync(join(tmpdir(), 'gateramp-unpacked-')),
    mkdtempSync(join(tmpdir(), 'gateramp-copy-')),
  ];
  for (const folder of ['bin', 'lib']) mkdirSync(join(unpacked, folder));
  writeFileSync(join(unpacked, 'bin/postgres'), 'program', { mode: 0o700 });
  writeFileSync(join(unpacked, 'lib/libpq.so.5.18'), 'library', { mode: 0o600 });
  symlinkSync('libpq.so.5.18', join(unpacked, 'lib/libpq.so.5'));
  writeFileSync(
    join(unpacked, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' }]),
  );
  chmodSync(unpacked, 0o700);
});
afterEach(() => {
  for (const folder of [unpacked, draft]) rmSync(folder, { recursive: true, force: true });
});

it('the copied Postgres needs nothing of the checkout it came from, which the account that runs it may be unable to read', () => {
  const account = runAccount();
  const bin = copyNative(unpacked, draft, account);
  const copied = readdirSync(join(bin, '..'), { recursive: true, encoding: 'utf8' }).map((path) =>
    join(bin, '..', path),
  );
  expect(
    copied
      .map((path) => path.slice(draft.length))
      .filter((path) => path.includes('libpq'))
      .sort(),
  ).toEqual(['/native/lib/libpq.so', '/native/lib/libpq.so.5', '/native/lib/libpq.so.5.18']);
  for (const path of copied) {
    expect(realpathSync(path).startsWith(realpathSync(draft))).toBe(true);
    if (account !== null) expect(lstatSync(path).uid).toBe(account.uid);
  }
});
