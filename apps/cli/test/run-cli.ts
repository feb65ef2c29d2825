import { spawn, type ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { bundledPrograms } from '../../../tests/services/programs.js';

const { gateramp } = await bundledPrograms();

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  out(): string;
  err(): string;
  readonly ended: Promise<Ran>;
}

/** Runs `gateramp` like a user; it ends with the test at the latest. */
export function startCli(args: readonly string[], { env = {}, input }: CliOptions = {}): RunningCli {
  const child = spawn(process.execPath, ['--enable-source-maps', gateramp, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // A command that does not read its input may end before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { process: child, out: () => out, err: () => err, ended };
}

export const runCli = (args: readonly string[], options?: CliOptions): Promise<Ran> => startCli(args, options).ended;

/** The output of a command with `--json`: one value per line, whose members the test checks itself. */
export const linesOf = (out: string): readonly Readonly<Record<string, unknown>>[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
