import { pause } from '../lib/ask.js';
import type { Chance } from '../lib/chance.js';

/** One fault, and how long after the start it happens. */
export interface FaultEvent {
  readonly atMs: number;
  readonly what: string;
  readonly run: () => void | Promise<void>;
}

/**
 * Runs `events` at their times after the start, one at a time: one that is late because the previous one took long starts
 * immediately. Resolves after `durationMs`, or when the last one ends, if that is later.
 */
export async function carryOut(events: readonly FaultEvent[], durationMs: number): Promise<void> {
  const began = performance.now();
  const inOrder = [...events].sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, run } of inOrder) {
    await pause(Math.max(0, began + atMs - performance.now()));
    await run();
  }
  await pause(Math.max(0, began + durationMs - performance.now()));
}

/** `count` instants, one in each of as many equal parts of the time. */
export function spread(luck: Chance, count: number, durationMs: number): number[] {
  const part = durationMs / (count + 1);
  return Array.from({ length: count }, (_, index) => Math.round(part * (index + 0.5 + luck.next())));
}

/** Instants with gaps between the two bounds. */
export function repeated(luck: Chance, [least, most]: readonly [number, number], durationMs: number): number[] {
  const instants: number[] = [];
  for (let at = luck.between(least, most); at < durationMs; at += luck.between(least, most)) instants.push(at);
  return instants;
}

/** The schedule as one paragraph; frequent events are only counted. */
export function summaryOf(events: readonly FaultEvent[]): string {
  const counts = new Map<string, number>();
  for (const { what } of events) counts.set(what, (counts.get(what) ?? 0) + 1);
  if (events.length > 40) return [...counts].map(([what, count]) => `${count} × ${what}`).join(' · ');
  const inOrder = [...events].sort((a, b) => a.atMs - b.atMs);
  return inOrder.map(({ atMs, what }) => `${(atMs / 1000).toFixed(1)} s ${what}`).join(' · ');
}
