import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keyRef, rows } from '@gateramp/conformance';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteStore } from '../src/index.js';

interface Answer {
  readonly key: string;
  readonly kind: string;
  readonly reply: string | null;
}

let folder: string;
let path: string;
const running: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  path = join(folder, 'gate.db');
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it("creates one session a key when processes race on one file, and every other caller gets that one's reply", async () => {
  const [processes, creates, keys] = [3, 300, 40];
  const racers = await Promise.all(Array.from({ length: processes }, () => aRacer(creates, keys)));
  const answers = (await Promise.all(racers.map(({ go }) => go()))).flat();
  expect(answers).toHaveLength(processes * creates);
  const store = sqliteStore(path);
  for (let nth = 0; nth < keys; nth += 1) {
    const key = `key-${nth}`;
    const stored = await store.findReply(keyRef(key), rows.T0);
    const reply = stored?.kind === 'replay' ? stored.reply : null;
    const ofKey = answers.filter((answer) => answer.key === key);
    expect(ofKey.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
    expect(ofKey.filter((one) => one.kind === 'replay' && one.reply === reply)).toHaveLength(ofKey.length - 1);
  }
  store.close();
});

it('keeps all that a process was answered before it was killed', async () => {
  let kept = 0;
  for (let round = 0; round < 3; round += 1) {
    const { go, child, answers } = await aRacer(100_000, 100_000);
    const ended = go();
    while (answers.length < 150) await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await ended;
    const store = sqliteStore(path);
    for (const { key } of answers) expect(await store.findReply(keyRef(key), rows.T0), key).not.toBeNull();
    kept += answers.length;
    store.close();
  }
  expect(kept).toBeGreaterThanOrEqual(450);
});

interface Racer {
  readonly child: ChildProcessWithoutNullStreams;
  /** The answers so far. */
  readonly answers: Answer[];
  /** Starts it; resolves when it has ended in any way. */
  go(): Promise<readonly Answer[]>;
}

/** A process that has opened the file and waits. */
async function aRacer(creates: number, keys: number): Promise<Racer> {
  const child = spawn(process.execPath, [
    '--conditions=@gateramp/source',
    '--import',
    'tsx',
    '--import',
    new URL('../../../tools/lib/sql-in-node.mjs', import.meta.url).href,
    fileURLToPath(new URL('racer.ts', import.meta.url)),
    path,
    String(creates),
    String(keys),
  ]);
  running.push(child);
  const answers: Answer[] = [];
  const lines = createInterface(child.stdout);
  const closed = once(lines, 'close');
  const [said] = (await once(lines, 'line')) as [string];
  expect(said).toBe('ready');
  lines.on('line', (line) => {
    // A killed process may leave a partial line, for which no answer was sent.
    if (line.endsWith('}')) answers.push(JSON.parse(line) as Answer);
  });
  return {
    child,
    answers,
    go: async () => {
      child.stdin.write('go\n');
      await closed;
      return answers;
    },
  };
}
