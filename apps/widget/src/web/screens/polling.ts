import type { Effect } from '../app/event.js';

const WAITS_MS = [1000, 1000, 1500, 2000, 3000, 5000] as const;
const WAIT_MAX_MS = 8000;

/** Schedules the next poll. The interval grows: most payments finish within seconds, and the others are not urgent. */
export function waitToPoll(polls: number): Effect {
  return { do: 'wait', timer: 'poll', ms: WAITS_MS[polls] ?? WAIT_MAX_MS };
}
