import { pause } from '../lib/ask.mjs';

/**
 * Carries out `events` (`{ atMs, what, run }`) at their times after the start, one after another: one that is late, as the one before took
 * long, is carried out at once. Resolves after `durationMs`, or later when the last one ends later.
 */
export async function carryOut(events, durationMs) {
  const began = performance.now();
  const inOrder = [...events].sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, run } of inOrder) {
    await pause(Math.max(0, began + atMs - performance.now()));
    await run();
  }
  await pause(Math.max(0, began + durationMs - performance.now()));
}

/** `count` instants, one in each of as many equal parts of the time. */
export function spread(luck, count, durationMs) {
  const part = durationMs / (count + 1);
  return Array.from({ length: count }, (_, index) => Math.round(part * (index + 0.5 + luck.next())));
}

/** Instants with gaps between the two bounds. */
export function repeated(luck, [least, most], durationMs) {
  const instants = [];
  for (let at = luck.between(least, most); at < durationMs; at += luck.between(least, most)) instants.push(at);
  return instants;
}

/** The schedule as one paragraph; what is too frequent to list is counted. */
export function told(events) {
  const counts = new Map();
  for (const { what } of events) counts.set(what, (counts.get(what) ?? 0) + 1);
  if (events.length > 40) return [...counts].map(([what, count]) => `${count} × ${what}`).join(' · ');
  const inOrder = [...events].sort((a, b) => a.atMs - b.atMs);
  return inOrder.map(({ atMs, what }) => `${(atMs / 1000).toFixed(1)} s ${what}`).join(' · ');
}
