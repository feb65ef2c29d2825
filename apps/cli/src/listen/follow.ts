import { NotFoundError, type Gate, type GateEvent } from '@gateramp/sdk-node';

/**
 * The position in the feed. The feed is sorted by the creation of events, and an event may appear before another one that was created later
 * but committed earlier; so everything since `anchor` is read each time, and `seen` contains the events that are already processed.
 */
export interface Place {
  /** All events up to this one have been processed; null: the whole feed is read. */
  readonly anchor: string | null;
  readonly seen: readonly string[];
  /** The last forwarded sequence of each recent session, in the order of forwarding. */
  readonly sequences: Readonly<Record<string, number>>;
}

/** How much of the feed is read again, by the service's clock. A commit takes far less. */
const OVERLAP_SECONDS = 30;
const SESSIONS_MAX = 1000;
const PAGE = 100;

/** Starts at the current end of the feed: existing events count as processed. */
export async function endOfFeed(gate: Gate): Promise<Place> {
  const seen: string[] = [];
  let newest: number | null = null;
  for await (const event of gate.events.list({ limit: PAGE })) {
    newest ??= event.created_at;
    if (event.created_at < newest - OVERLAP_SECONDS) return { anchor: event.id, seen, sequences: {} };
    seen.push(event.id);
  }
  return { anchor: null, seen, sequences: {} };
}

interface Poll {
  readonly isQuiet: boolean;
  readonly signal: AbortSignal;
}

/** The result of one poll. */
interface PollResult {
  /** New events, in the order in which to forward them. */
  readonly events: readonly GateEvent[];
  /** All events since the anchor, in the order of the feed. */
  readonly window: readonly GateEvent[];
}

/**
 * Polls the feed once. If the service does not know the anchor, it has lost its data: everything in the feed is new. An event whose
 * predecessor is missing waits for it, unless the feed has been quiet for a while: then the predecessor will not appear.
 */
export async function poll(gate: Gate, place: Place, { isQuiet, signal }: Poll): Promise<PollResult> {
  const window = await windowOf(gate, place.anchor, signal);
  const seen = new Set(place.seen);
  return {
    window,
    events: inOrder(
      window.filter(({ id }) => !seen.has(id)),
      isQuiet ? {} : place.sequences,
    ),
  };
}

async function windowOf(gate: Gate, anchor: string | null, signal: AbortSignal): Promise<GateEvent[]> {
  const events: GateEvent[] = [];
  try {
    const query = anchor === null ? { limit: PAGE } : { limit: PAGE, ending_before: anchor };
    const list = gate.events.list(query, { signal });
    for await (const event of list) events.push(event);
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'event_not_found')
      return anchor === null ? [] : windowOf(gate, null, signal);
    throw error;
  }
  return anchor === null ? events.reverse() : events;
}

/** In the order of the feed, but each session's events by sequence. */
function inOrder(events: readonly GateEvent[], known: Readonly<Record<string, number>>): readonly GateEvent[] {
  const last = new Map(Object.entries(known));
  const ordered: GateEvent[] = [];
  const waiting = [...events];
  for (let index = 0; index < waiting.length; index += 1) {
    const event = waiting[index];
    if (event === undefined || !isNext(event, last, waiting)) continue;
    ordered.push(event);
    waiting.splice(index, 1);
    const session = sessionOf(event);
    if (session !== null && event.sequence !== null) last.set(session, event.sequence);
    // An event that was waiting for this one may precede it in the feed.
    index = -1;
  }
  return ordered;
}

/** Whether no event of its session must be forwarded before it, according to the forwarded sequences and the other events. */
function isNext(event: GateEvent, last: ReadonlyMap<string, number>, others: readonly GateEvent[]): boolean {
  const session = sessionOf(event);
  const { sequence } = event;
  if (session === null || sequence === null) return true;
  const before = last.get(session);
  if (before !== undefined) return sequence <= before + 1;
  return !others.some((other) => sessionOf(other) === session && other.sequence !== null && other.sequence < sequence);
}

/** The position after forwarding this event. */
export function advance(place: Place, event: GateEvent): Place {
  const session = sessionOf(event);
  const kept = Object.entries(place.sequences).filter(([id]) => id !== session);
  const own: [string, number][] = session === null || event.sequence === null ? [] : [[session, event.sequence]];
  return {
    ...place,
    seen: [...place.seen, event.id],
    sequences: Object.fromEntries([...kept, ...own].slice(-SESSIONS_MAX)),
  };
}

/** Moves the anchor past all events that are old enough that nothing can appear before them; with `isQuiet`, to the end. */
export function shorten(place: Place, window: readonly GateEvent[], isQuiet: boolean): Place {
  const seen = new Set(place.seen);
  const newest = Math.max(...window.map((event) => event.created_at));
  let anchor = -1;
  while (anchor + 1 < window.length) {
    const event = window[anchor + 1];
    const isOld = event !== undefined && (isQuiet || event.created_at < newest - OVERLAP_SECONDS);
    if (event === undefined || !isOld || !seen.has(event.id)) break;
    anchor += 1;
  }
  const event = window[anchor];
  if (event === undefined) return place;
  return { ...place, anchor: event.id, seen: window.slice(anchor + 1).flatMap(({ id }) => (seen.has(id) ? [id] : [])) };
}

export function sessionOf({ data }: GateEvent): string | null {
  const about: { readonly object?: unknown; readonly id?: unknown; readonly session_id?: unknown } = data;
  const id = about.object === 'gate_session' ? about.id : about.session_id;
  return typeof id === 'string' ? id : null;
}
