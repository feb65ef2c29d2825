import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../../tools/docs.mjs';
import { root } from '../../tools/lib/workspaces.mjs';

/** What the page has its reader type, or save, in the order of the page. */
export interface Block {
  /** `sh` is typed, the others are saved. */
  readonly language: string;
  readonly text: string;
}

/** The blocks of one part of the page, with the ports of this run in place of those of `npm start`. */
export function blocksUnder(heading: string, ports: Readonly<Record<string, number>>): readonly Block[] {
  const page = readFileSync(join(root, 'docs/first-webhook.md'), 'utf8');
  const part = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return blocksOf({ text: part }).map(({ language = '', code }) => ({
    language,
    text: code.replaceAll(/(?<=[:( ])\d{4}\b/g, (port) => String(ports[port] ?? port)),
  }));
}

/** Where a machine that has several Pythons looks for them, else in the home folder. */
const PYENV_ROOT = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');

/** Of the five minutes, what one line on a terminal may take. */
const SAID_WITHIN_MS = 120_000;

/** A terminal in which one block was typed. */
export interface Terminal {
  readonly process: ChildProcess;
  printed(): string;
  /** Once what it has printed matches; rejects with all of it when the program ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Once it has ended well; rejects with what it has printed when it did not. */
  readonly done: Promise<void>;
}

/** Of a person whose home folder this is, and who has set nothing but `environment`. */
export function type(text: string, home: string, environment: Readonly<Record<string, string>>): Terminal {
  const env = { PATH: process.env['PATH'], PYENV_ROOT, HOME: home, ...environment };
  // A group of its own, so that what the shell has started can be ended with it.
  const shell = spawn('sh', ['-e', '-c', text], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (printed += more));
  const done = new Promise<void>((resolve, reject) => {
    shell.on('error', reject);
    shell.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${text}\nended with ${code}:\n${printed}`)),
    );
  });
  // Waiters for an output line are notified there.
  done.catch(() => undefined);
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const give = (up: string): void => reject(new Error(`${text}\n${up} ${String(pattern)}:\n${printed}`));
      const timer = setTimeout(() => give('has not said'), SAID_WITHIN_MS);
      const look = (): void => {
        const found = pattern.exec(printed);
        if (found === null) return;
        clearTimeout(timer);
        resolve(found);
      };
      shell.stdout.on('data', look);
      shell.stderr.on('data', look);
      look();
      done.then(() => give('ended without'), reject);
    });
  return { process: shell, printed: () => printed, says, done };
}

export function close({ process: { pid } }: Terminal): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
