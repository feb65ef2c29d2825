import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Round } from './history.js';

/** How random histories are played. */
export interface ModelRun {
  /** How many, each on a store of its own; 40 by default. */
  readonly runs?: number;
  /** Plays the same histories every time; without it fast-check's own (`fc.configureGlobal`), or a new one. */
  readonly seed?: number;
  /**
   * Ends the run when so much time is over, if at least one history has been played: a slow store is tried less, and
   * never too early. 30 s by default.
   */
  readonly timeLimitMs?: number;
  /** A file that keeps the shortest history which the store got wrong. It is played first, until the store gets it right. */
  readonly keepIn?: string;
}

export const MODEL_RUN = { runs: 40, timeLimitMs: 30_000 } as const;

export type History = readonly Round[];

export function keptHistory(file: string | undefined): History | null {
  if (file === undefined || !existsSync(file)) return null;
  // A file edited by hand may have any shape; it is written by `keepHistory` alone.
  return JSON.parse(readFileSync(file, 'utf8')) as History;
}

export function keepHistory(file: string | undefined, history: History): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(history, null, 2)}\n`);
}

export function forgetHistory(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}
