import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Round } from './history.js';

/** Options for random histories. */
export interface ModelRun {
  /** The number of histories, each on a new store; 40 by default. */
  readonly runs?: number;
  /** Repeats the same histories; by default fast-check's global seed (`fc.configureGlobal`), or a random one. */
  readonly seed?: number;
  /** The time limit, which applies once at least one history has run: a slow store gets fewer histories. 30 s by default. */
  readonly timeLimitMs?: number;
  /** A file that stores the shortest failing history. It runs first, until the store passes it. */
  readonly keepIn?: string;
}

export const MODEL_RUN = { runs: 40, timeLimitMs: 30_000 } as const;

export type History = readonly Round[];

export function keptHistory(file: string | undefined): History | null {
  if (file === undefined || !existsSync(file)) return null;
  // Written by `keepHistory`; a manually edited file may have any shape.
  return JSON.parse(readFileSync(file, 'utf8')) as History;
}

export function keepHistory(file: string | undefined, history: History): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(history, null, 2)}\n`);
}

export function forgetHistory(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}
