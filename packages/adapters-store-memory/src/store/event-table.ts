import type { Scope } from '@gateramp/core';
import type { GateEvent, PageRequest } from '@gateramp/core/domain';
import { belongsTo, ScopedIndex } from './scoped-index.js';

/** An event by its place in the list. */
interface Listed {
  readonly id: string;
  readonly event: GateEvent;
}

/** Events never change and are never deleted; a session's are kept in the order of their sequence. */
export class EventTable {
  private readonly byId = new Map<string, GateEvent>();
  private readonly bySession = new Map<string, GateEvent[]>();
  private readonly listed = new ScopedIndex<Listed>();

  get(id: string): GateEvent | null {
    return this.byId.get(id) ?? null;
  }

  find(scope: Scope, id: string): GateEvent | null {
    const event = this.byId.get(id);
    return event !== undefined && belongsTo(event, scope) ? event : null;
  }

  page(scope: Scope, page: PageRequest, matches: (event: GateEvent) => boolean): GateEvent[] {
    const { start } = page;
    if (start.kind === 'newest') return this.walk(scope, page, matches);
    const cursor = this.find(scope, start.id);
    if (cursor === null) return [];
    return this.walk(scope, { ...page, start: { kind: start.kind, id: listPlace(cursor) } }, matches);
  }

  ofSession(scope: Scope, sessionId: string): readonly GateEvent[] {
    return (this.bySession.get(sessionId) ?? []).filter((event) => belongsTo(event, scope));
  }

  /** Neither the id nor the place in its session may be taken. */
  accepts(event: GateEvent): boolean {
    if (this.byId.has(event.id)) return false;
    if (event.sessionId === null || event.sequence === null) return true;
    return !(this.bySession.get(event.sessionId) ?? []).some(({ sequence }) => sequence === event.sequence);
  }

  add(event: GateEvent): void {
    this.byId.set(event.id, event);
    this.listed.add(event, { id: listPlace(event), event });
    if (event.sessionId === null) return;
    const events = this.bySession.get(event.sessionId);
    if (events === undefined) this.bySession.set(event.sessionId, [event]);
    else events.splice(placeOf(event, events), 0, event);
  }

  private walk(scope: Scope, page: PageRequest, matches: (event: GateEvent) => boolean): GateEvent[] {
    return this.listed.page(scope, page, ({ event }) => (matches(event) ? event : null));
  }
}

/** Ids are random: the order is that of creation, of the sequence within an instant, and then whatever the ids make it. */
function listPlace({ createdAt, sequence, id }: GateEvent): string {
  return `${sortable(createdAt)}${sortable(sequence ?? 0)}${id}`;
}

function sortable(value: number): string {
  return value.toString(16).padStart(14, '0');
}

/** Almost always the end: sequences are given in order. */
function placeOf(event: GateEvent, events: readonly GateEvent[]): number {
  let place = events.length;
  while (place > 0 && (events[place - 1]?.sequence ?? 0) > (event.sequence ?? Infinity)) place -= 1;
  return place;
}
