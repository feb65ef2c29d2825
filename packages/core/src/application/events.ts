import { ok, type Result } from 'neverthrow';
import type { Scope } from '../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../domain/paging/page.js';
import { type Refusal, refuse } from '../domain/refusal.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { EventFilter } from '../ports/rows.js';
import type { Engine } from './engine.js';

/** Retrieves an event of this partner and mode, whether or not it was delivered. */
export async function retrieveEvent(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<GateEvent, Refusal<'event_not_found'>>> {
  const event = await engine.store.find('event', scope, id);
  return event === null ? eventNotFound() : ok(event);
}

function eventNotFound(): ReturnType<typeof refuse<'event_not_found'>> {
  return refuse('event_not_found', 'There is no such event for this key.');
}

/** A page of events, newest first. Another partner's cursor is treated as unknown. */
export async function listEvents(
  engine: Engine,
  scope: Scope,
  filter: EventFilter,
  request: PageRequest,
): Promise<Result<Page<GateEvent>, Refusal<'event_not_found'>>> {
  const { start } = request;
  if (start.kind !== 'newest' && (await engine.store.find('event', scope, start.id)) === null) return eventNotFound();
  return ok(cutPage(await engine.store.list('event', scope, filter, request), request));
}
