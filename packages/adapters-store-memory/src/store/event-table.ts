import type { Scope } from '@gateramp/core';
import type { GateEvent, Instant, PageRequest } from '@gateramp/core/domain';
import { belongsTo, FROM_THE_NEWEST, ScopedIndex, walkFrom, type Walk } from './scoped-index.js';

/** Events are immutable and never deleted; those of a session are kept in the order of their sequence. */
export class EventTable {
  private readonly byId = new Map<string, GateEvent>();
  private readonly bySession = new Map<string, GateEvent[]>();
  private readonly listed = new ScopedIndex<GateEvent, ListPlace>(isBefore);
  /** The time of the newest event that a list has shown, by partner and mode. Nothing is added before it. */
  private readonly shownUntil = new Map<string, Instant>();

  get(id: string): GateEvent | null {
    return this.byId.get(id) ?? null;
  }

  find(scope: Scope, id: string): GateEvent | null {
    const event = this.byId.get(id);
    return event !== undefined && belongsTo(event, scope) ? event : null;
  }

  page(scope: Scope, page: PageRequest, matches: (event: GateEvent) => boolean): GateEvent[] {
    const walk = this.walkOf(scope, page);
    return walk === null ? [] : this.listed.page(scope, page.limit, walk, (event) => (matches(event) ? event : null));
  }

  /** A page for a reader, who may continue after its newest event. */
  show(scope: Scope, page: PageRequest, matches: (event: GateEvent) => boolean): GateEvent[] {
    const events = this.page(scope, page, matches);
    const newest = Math.max(...events.map(({ createdAt }) => createdAt), this.shownUntil.get(keyOf(scope)) ?? 0);
    this.shownUntil.set(keyOf(scope), newest);
    return events;
  }

  ofSession(scope: Scope, sessionId: string): readonly GateEvent[] {
    return (this.bySession.get(sessionId) ?? []).filter((event) => belongsTo(event, scope));
  }

  /** Whether both the id and the position in the session are free. */
  accepts(event: GateEvent): boolean {
    if (this.byId.has(event.id)) return false;
    if (event.sessionId === null || event.sequence === null) return true;
    return !(this.bySession.get(event.sessionId) ?? []).some(({ sequence }) => sequence === event.sequence);
  }

  /** An event that was decided before one that was shown gets a later place. */
  add(given: GateEvent): void {
    const first = (this.shownUntil.get(keyOf(given)) ?? -1) + 1;
    const event = given.createdAt < first ? { ...given, createdAt: first } : given;
    this.byId.set(event.id, event);
    this.listed.add(event, event);
    if (event.sessionId === null) return;
    const events = this.bySession.get(event.sessionId);
    if (events === undefined) this.bySession.set(event.sessionId, [event]);
    else events.splice(placeOf(event, events), 0, event);
  }

  /** Null if the event of the cursor does not exist: its position is not part of its id. */
  private walkOf(scope: Scope, { start }: PageRequest): Walk<ListPlace> | null {
    if (start.kind === 'newest') return FROM_THE_NEWEST;
    const cursor = this.find(scope, start.id);
    return cursor === null ? null : walkFrom(start.kind, cursor);
  }
}

const keyOf = ({ partnerId, mode }: Scope): string => `${partnerId}/${mode}`;

/** The members that determine the position in the list. */
type ListPlace = Pick<GateEvent, 'createdAt' | 'sequence' | 'id'>;

/** Ids are random: events are ordered by creation, then by sequence, then by id. */
function isBefore(one: ListPlace, other: ListPlace): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  const [earlier, later] = [one.sequence ?? 0, other.sequence ?? 0];
  if (earlier !== later) return earlier < later;
  return one.id < other.id;
}

/** Almost always the end: sequences are assigned in order. */
function placeOf(event: GateEvent, events: readonly GateEvent[]): number {
  let place = events.length;
  while (place > 0 && (events[place - 1]?.sequence ?? 0) > (event.sequence ?? Infinity)) place -= 1;
  return place;
}
