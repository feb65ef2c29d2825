import { execFile } from 'node:child_process';
import { programs } from './running-server.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `gate` like an operator. */
export function runGate(command: string, settings: Readonly<Record<string, string>>, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programs.gate, ...command.split(' ')],
      { env: { PATH: process.env['PATH'], ...settings } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out: out.trim(), err: err.trim() }),
    );
    // A command that does not read its input may end before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
