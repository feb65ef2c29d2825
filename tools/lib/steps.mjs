import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** An error for the user of a tool; it needs no stack trace. */
export class PlainError extends Error {}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * Runs one step and prints a line with its duration. Progress goes to stderr: stdout belongs to the program.
 *
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} work
 * @param {(line: string) => unknown} [write]
 * @returns {Promise<T>}
 */
export async function step(title, work, write = (line) => process.stderr.write(line)) {
  const started = performance.now();
  const ticking = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r  …    ${title}  ${seconds(started)}`), 500)
    : null;
  let mark = 'FAIL';
  try {
    const result = await work();
    mark = 'ok  ';
    return result;
  } finally {
    if (ticking !== null) {
      clearInterval(ticking);
      process.stderr.write('\r\u001b[K');
    }
    write(`  ${mark} ${title}  ${seconds(started)}\n`);
  }
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Runs a command and captures its output. A signal that ends this process ends the command too.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const stop = (signal) => {
      child.kill(signal);
      process.exit(128 + constants.signals[signal]);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    child.on('close', () => STOP_SIGNALS.forEach((signal) => process.off(signal, stop)));
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** For the `main` of a tool: prints the message of a PlainError; any other error is a bug and is printed with its stack. */
export function reportAndExit(error) {
  process.stderr.write(`\n${error instanceof PlainError ? error.message : (error?.stack ?? String(error))}\n`);
  process.exit(1);
}

/** Whether this module is the entry point rather than imported. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
}
