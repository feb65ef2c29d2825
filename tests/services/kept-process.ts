import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** A server under its keeper, which stops it when `stdin` ends: `child` is the keeper, with the process id `pid`. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly pid: number;
  readonly ended: Promise<unknown>;
}

/** The test process may end while the server runs, and detects failures by connecting to it. */
export function kept(child: ChildProcess): Running {
  const { pid, stdin } = child;
  child.on('error', () => undefined);
  if (pid === undefined || stdin === null) throw new Error(`${child.spawnfile} could not be started.`);
  stdin.on('error', () => undefined);
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  return { child, stdin, pid, ended: new Promise((resolve) => child.once('exit', resolve)) };
}
