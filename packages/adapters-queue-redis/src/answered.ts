import { atMost } from '@gateramp/core/runtime';

/** A timer that is overdue by this much shows that this process, and perhaps the whole machine, stood still. */
const OVERDUE_MS = 100;

/**
 * The answer of Redis, or null if it takes longer than `limitMs`. A process that stood still must not blame Redis: its timer is then
 * overdue while the answer waits in the socket, or Redis stood still as well, so it gets the same time once more.
 */
export async function answered<Answer>(limitMs: number, answer: Promise<Answer>): Promise<Answer | null> {
  const dueAt = performance.now() + limitMs;
  const found = await atMost(limitMs, answer);
  const isOverdue = performance.now() - dueAt > OVERDUE_MS;
  return found === null && isOverdue ? atMost(limitMs, answer) : found;
}
