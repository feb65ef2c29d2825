import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../exit-codes.js';

/** The state that `listen` keeps between runs: its position, and the signing secret. */
export interface State {
  readonly secret: string;
  /** The id of the last processed event; null before the first one. */
  readonly after: string | null;
}

/** One file for each pair of a feed and a receiver. File names do not contain the key. */
export function stateFile(dir: string, feed: string, receiver: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([feed, receiver]))
    .digest('hex')
    .slice(0, 16);
  return join(dir, `listen-${name}.json`);
}

export function readState(file: string): State | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const state = parsed(text);
  if (state === null) throw new UsageError(`${file} is not a valid state file. Move it away to start over.`);
  return state;
}

/**
 * Writes atomically, so that an interrupted run leaves a complete state. Only the owner may read the file, since it contains the secret.
 */
export function writeState(file: string, state: State): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
  renameSync(draft, file);
}

function parsed(text: string): State | null {
  try {
    const state: unknown = JSON.parse(text);
    return isState(state) ? state : null;
  } catch {
    return null;
  }
}

function isState(value: unknown): value is State {
  if (typeof value !== 'object' || value === null || !('secret' in value) || !('after' in value)) return false;
  return typeof value.secret === 'string' && (value.after === null || typeof value.after === 'string');
}
