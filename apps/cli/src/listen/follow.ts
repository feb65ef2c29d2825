import { NotFoundError, type Gate, type GateEvent } from '@gateramp/sdk-node';

/**
 * How far the feed was followed. The feed is sorted by when events were made, and one may appear behind another that was made later and
 * committed sooner; so everything since `anchor` is looked at each time, and `seen` says what of it is known.
 */
export interface Place {
  /** All up to this event is known; null: all of the feed is looked at. */
  readonly anchor: string | null;
  readonly seen: readonly string[];
  /** The last sequence that was forwarded of each recent session, in the order of forwarding. */
  readonly sequences: Readonly<Record<string, number>>;
}

/** How much of the feed is looked at again, by the service's own clock. A commit takes far less. */
const OVERLAP_SECONDS = 30;
const SESSIONS_MAX = 1000;
const PAGE = 100;

/** The end of the feed as it is: what is there is known, what comes is new. */
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

/** What a look has found. */
interface PollResult {
  /** What is new, in the order in which it is to be forwarded. */
  readonly events: readonly GateEvent[];
  /** All events since the anchor, in the order of the feed. */
  readonly window: readonly GateEvent[];
}

/**
 * Looks at the feed once. A service that does not know the anchor has lost its memory: all that it has is new. An event whose forerunner
 * is missing waits for it, unless the feed has been quiet for long: then there is none to come.
 */
export async function look(gate: Gate, place: Place, isQuiet: boolean): Promise<PollResult> {
  const window = await windowOf(gate, place.anchor);
  const seen = new Set(place.seen);
  return {
    window,
    events: inOrder(
      window.filter(({ id }) => !seen.has(id)),
      isQuiet ? {} : place.sequences,
    ),
  };
}

async function windowOf(gate: Gate, anchor: string | null): Promise<GateEvent[]> {
  const events: GateEvent[] = [];
  try {
    const list = gate.events.list(anchor === null ? { limit: PAGE } : { limit: PAGE, ending_before: anchor });
    for await (const event of list) events.push(event);
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'event_not_found')
      return anchor === null ? [] : windowOf(gate, null);
    throw error;
  }
  return anchor === null ? events.reverse() : events;
}

/** As they come, but each session's by their sequence. */
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
    // An event that had to wait for this one may be before it in the feed.
    index = -1;
  }
  return ordered;
}

/** Whether nothing of its session is to come before it: neither by what was forwarded nor by what is at hand. */
function isNext(event: GateEvent, last: ReadonlyMap<string, number>, others: readonly GateEvent[]): boolean {
  const session = sessionOf(event);
  const { sequence } = event;
  if (session === null || sequence === null) return true;
  const before = last.get(session);
  if (before !== undefined) return sequence <= before + 1;
  return !others.some((other) => sessionOf(other) === session && other.sequence !== null && other.sequence < sequence);
}

/** The place after this event was forwarded. */
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

/** Moves the anchor up to what is old enough that nothing can appear before it; with `isQuiet`, to the end. */
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
