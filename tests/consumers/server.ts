import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from '../../tools/build.mjs';
import { PlainError } from '../../tools/lib/steps.mjs';
import { root } from '../../tools/lib/workspaces.mjs';

export interface BuiltServer {
  /** The origins of its API in test mode and of its hosted checkout. */
  readonly sandbox: string;
  readonly sandbox_widget: string;
  close(): void;
}

const PORTS = ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'];

/** The built reference server, with the shop of a seed file. */
export async function serverWith(seed: object): Promise<BuiltServer> {
  await build();
  const file = join(mkdtempSync(join(tmpdir(), 'gateramp-seed-')), 'seed.json');
  writeFileSync(file, JSON.stringify(seed));
  const settings = { GATE_SEED_FILE: file, GATE_RATE_LIMITS: 'off', GATE_LOG: 'json' };
  const anyPort = Object.fromEntries(PORTS.map((name) => [`GATE_${name}_PORT`, '0']));
  const server = start(process.execPath, [join(root, 'apps/reference-server/dist/main.js')], root, {
    ...settings,
    ...anyPort,
  });
  const [line] = await said(server, /^\{"event":"ready".*\}$/m);
  return { ...(JSON.parse(line) as Omit<BuiltServer, 'close'>), close: () => server.kill('SIGKILL') };
}

/** Starts a program that keeps running. */
export const start = (
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): ChildProcess =>
  spawn(program, args, { cwd, env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', ...env }, stdio: 'pipe' });

const SAID_WITHIN_MS = 120_000;

/** Waits for matching output; fails with all output if the program ends before, or takes too long. */
export function said(program: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  return new Promise((resolve, reject) => {
    const fail = (): void =>
      reject(new PlainError(`Never heard ${String(pattern)} of ${program.spawnargs.join(' ')}:\n${text}`));
    const timer = setTimeout(fail, SAID_WITHIN_MS);
    const listen = (more: Buffer): void => {
      text += more.toString();
      const found = pattern.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found);
    };
    program.stdout?.on('data', listen);
    program.stderr?.on('data', listen);
    program.on('error', reject);
    program.on('exit', fail);
  });
}
