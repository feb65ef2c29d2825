import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

import { installIsFresh, requireNode } from '../setup.mjs';

const folders: string[] = [];

/** A clone whose lock file contains one package, with or without an install. */
function clone({ locked, installed }: { locked: string; installed: string | null }): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-setup-'));
  folders.push(dir);
  relock(dir, locked);
  if (installed !== null) {
    mkdirSync(join(dir, 'node_modules/zod'), { recursive: true });
    writeFileSync(join(dir, 'node_modules/.package-lock.json'), lockOf(installed));
  }
  return dir;
}

const lockOf = (version: string): string => JSON.stringify({ packages: { 'node_modules/zod': { version } } });
const relock = (dir: string, version: string): void => writeFileSync(join(dir, 'package-lock.json'), lockOf(version));

afterEach(() => {
  folders.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true }));
});

describe('an install is', () => {
  it('stale when there is none', () => {
    expect(installIsFresh(clone({ locked: '1.0.0', installed: null }))).toBe(false);
  });

  it('fresh when made by hand from this very lock', () => {
    expect(installIsFresh(clone({ locked: '1.0.0', installed: '1.0.0' }))).toBe(true);
  });

  it('stale when the lock names another version', () => {
    expect(installIsFresh(clone({ locked: '1.0.1', installed: '1.0.0' }))).toBe(false);
  });

  it('stale again when the lock changes after it was found fresh', () => {
    const dir = clone({ locked: '1.0.0', installed: '1.0.0' });
    expect(installIsFresh(dir)).toBe(true);
    relock(dir, '1.0.1');
    expect(installIsFresh(dir)).toBe(false);
  });

  it('stale when a locked package is gone from the folder', () => {
    const dir = clone({ locked: '1.0.0', installed: '1.0.0' });
    rmSync(join(dir, 'node_modules/zod'), { recursive: true });
    expect(installIsFresh(dir)).toBe(false);
  });
});

it('asks for a newer Node in plain words', () => {
  expect(() => requireNode('18.20.0')).toThrow('needs Node 20.19 or newer; this is Node 18.20.0');
  expect(() => requireNode('20.18.3')).toThrow('this is Node 20.18.3');
  expect(() => requireNode('20.19.0')).not.toThrow();
  expect(() => requireNode('22.0.0')).not.toThrow();
});
