import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeLaws, type ModelRun } from '@gateramp/conformance';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storeSubject } from '../../adapters-store-memory/test/memory-subjects.js';
import { aTurn } from './faults/over.js';
import { storeFaults } from './faults/store-faults.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateramp-model-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const law = storeLaws.find(({ topic }) => topic === 'Store: random histories');
const sound = storeSubject();
const faulty = storeSubject(storeFaults['events kept on a stale commit']);

const said = async (subject: typeof sound, model: ModelRun): Promise<string | null> => {
  const failure: unknown = await law?.run({ ...subject, model }).catch((error: unknown) => error);
  return failure instanceof Error ? failure.message : null;
};

/** Ids differ between runs; the failure and the commands before it do not. */
const historyOf = (message: string | null) => message?.slice(message.indexOf('The history, as short'));

it('a seed plays the same histories every time, and the message of a failure names it', async () => {
  const [first, second] = [await said(faulty, { seed: 7 }), await said(faulty, { seed: 7 })];
  expect(first).toContain('model: { seed: 7 }');
  expect(historyOf(second)).toBe(historyOf(first));
  expect(historyOf(first)).toMatch(/after \d+ ms: \[\{"kind"/);
});

it('stores the shortest failing history, plays it first, and removes it once it passes', async () => {
  const keepIn = join(folder, 'history.json');
  expect(await said(faulty, { seed: 7, keepIn })).toContain('Property failed');
  expect(JSON.parse(readFileSync(keepIn, 'utf8'))).toBeInstanceOf(Array);
  expect(await said(faulty, { runs: 1, seed: 8, keepIn })).toContain('Property failed');
  expect(await said(sound, { runs: 2, keepIn })).toBeNull();
  expect(existsSync(keepIn)).toBe(false);
});

it('ends at its time limit, and fails if no history was played', async () => {
  const slow = {
    create: async () => {
      const until = Date.now() + 30;
      while (Date.now() < until) await aTurn();
      return sound.create();
    },
  };
  expect(await said(slow, { runs: 1_000_000, timeLimitMs: 2_000 })).toBeNull();
  expect(await said(slow, { timeLimitMs: 1 })).toContain('not one history was played within 1 ms');
});
