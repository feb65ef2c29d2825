import { type GateEvent } from '@gateramp/sdk-node';
import { isAcknowledged, post, type Posted } from './post.js';
import { pause } from './pause.js';

/** A receiver that answers no is asked as often as the service asks; one that does not answer is waited for. */
const REFUSALS_MAX = 5;
const WAIT_MAX_MS = 5000;
const WAIT_MIN_MS = 250;

export interface Forwarding {
  readonly url: string;
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Called with each attempt. */
  readonly onAttempt: (event: GateEvent, posted: Posted, attempt: number) => void;
  /** Called with an event that was refused once too often. */
  readonly onLeftBehind: (event: GateEvent) => void;
}

/**
 * Posts one event until it is acknowledged, so that what comes after stays after it. After five refusals it is left behind, as the service
 * would leave it; a receiver that is not there, or is just starting (502, 503, 504), is waited for however long it takes. False when it was
 * stopped before.
 */
export async function forward(event: GateEvent, forwarding: Forwarding): Promise<boolean> {
  const { url, secret, signal, onAttempt, onLeftBehind } = forwarding;
  const body = bodyOf(event);
  let refusals = 0;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    // Not cut off when it is asked to end: the receiver may have the event already, and would get it again.
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

/** The envelope as it is delivered: the feed says `object` behind it. */
function bodyOf(event: GateEvent): string {
  const { object: _, ...envelope } = event;
  return JSON.stringify(envelope);
}
