import { type GateEvent } from '@gateramp/sdk-node';
import { isAcknowledged, post, type Posted } from './post.js';
import { pause } from './pause.js';

/** A receiver that refuses is retried as often as the service retries; one that does not answer is waited for. */
const REFUSALS_MAX = 5;
const WAIT_MAX_MS = 5000;
const WAIT_MIN_MS = 250;

export interface Forwarding {
  readonly url: string;
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Called after each attempt. */
  readonly onAttempt: (event: GateEvent, posted: Posted, attempt: number) => void;
  /** Called with an event that was refused too often. */
  readonly onLeftBehind: (event: GateEvent) => void;
}

/**
 * Posts one event until it is acknowledged, which preserves the order of events. After five refusals it is skipped, as by the service; a
 * receiver that is down or starting (502, 503, 504) is waited for without limit. Returns false if it was stopped before.
 */
export async function forward(event: GateEvent, forwarding: Forwarding): Promise<boolean> {
  const { url, secret, signal, onAttempt, onLeftBehind } = forwarding;
  const body = bodyOf(event);
  let refusals = 0;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    // Not aborted on stop: the receiver may already have the event, and would receive it again.
    const posted = await post({ url, body, secret, eventId: event.id, eventType: event.type });
    if (signal.aborted && posted.status === null) return false;
    onAttempt(event, posted, attempt);
    if (isAcknowledged(posted)) return true;
    if (!isAway(posted)) refusals += 1;
    if (refusals >= REFUSALS_MAX) {
      onLeftBehind(event);
      return true;
    }
    await pause(Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** (attempt - 1)), signal);
  }
  return false;
}

const isAway = ({ status }: Posted): boolean => status === null || [502, 503, 504].includes(status);

/** The envelope as delivered: events of the feed have the additional member `object`. */
function bodyOf(event: GateEvent): string {
  const { object: _, ...envelope } = event;
  return JSON.stringify(envelope);
}
