import type { Effect } from '../app/event.js';

const WAITS_MS = [1000, 1000, 1500, 2000, 3000, 5000] as const;
const WAIT_MAX_MS = 8000;

/** The next look, each later than the one before: most things end within seconds, and what does not is in no hurry. */
export function waitToPoll(polls: number): Effect {
  return { do: 'wait', timer: 'poll', ms: WAITS_MS[polls] ?? WAIT_MAX_MS };
}
