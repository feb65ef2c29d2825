import {
  APIConnectionError,
  APIError,
  RateLimitError,
  type Gate,
  type GateError,
  type GateEvent,
} from '@gateramp/sdk-node';
import { advance, poll, shorten, type Place } from './follow.js';
import { forward, type Forwarding } from './forward.js';
import { pause } from './pause.js';

interface ListenOptions extends Forwarding {
  readonly gate: Gate;
  readonly place: Place;
  /** The event types to forward; null for all. Other events count as forwarded. */
  readonly types: readonly string[] | null;
  readonly intervalMs: number;
  /** Called after each processed event, before the next one starts. */
  readonly keep: (place: Place) => void;
  /** Called with an error when the service becomes unreachable, and with null when it is reachable again. */
  readonly onAway: (error: GateError | null) => void;
}

/** After this time without new events, no earlier event can still appear. */
const QUIET_MS = 30_000;

/**
 * Follows the feed until the signal aborts: forwards every event in order until it is acknowledged, and none twice
 * unless the process is killed in between.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { gate, signal, keep, intervalMs } = options;
  let place = options.place;
  let lastEvent = performance.now();
  while (!signal.aborted) {
    const isQuiet = performance.now() - lastEvent > QUIET_MS;
    const found = await untilAnswered(() => poll(gate, place, { isQuiet, signal }), options);
    if (found === null) break;
    for (const event of found.events) {
      if (isWanted(event, options) && !(await forward(event, options))) return;
      place = advance(place, event);
      keep(place);
      lastEvent = performance.now();
    }
    const shorter = shorten(place, found.window, isQuiet);
    if (shorter !== place) keep((place = shorter));
    await pause(intervalMs, signal);
  }
}

const isWanted = ({ type }: GateEvent, { types }: ListenOptions): boolean => types === null || types.includes(type);

/** Repeats the request until the service answers. Throws errors that waiting cannot fix, such as an invalid key. */
async function untilAnswered<T>(
  request: () => Promise<T>,
  { signal, onAway, intervalMs }: ListenOptions,
): Promise<T | null> {
  let isAway = false;
  while (!signal.aborted) {
    try {
      const answer = await request();
      if (isAway) onAway(null);
      return answer;
    } catch (error) {
      if (signal.aborted) return null;
      if (!isPassing(error)) throw error;
      if (!isAway) onAway(error);
      isAway = true;
      const retryAfterMs = error instanceof RateLimitError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      await pause(Math.max(retryAfterMs, intervalMs), signal);
    }
  }
  return null;
}

const isPassing = (error: unknown): error is GateError =>
  error instanceof APIConnectionError || error instanceof RateLimitError || error instanceof APIError;
