import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { GateEvent } from '../../domain/webhook/event.js';
import type { Engine } from '../engine.js';

/** One event of this partner and mode, whether it was ever delivered or not. */
export async function retrieveEvent(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<GateEvent, Refusal<'event_not_found'>>> {
  const event = await engine.store.find('event', scope, id);
  return event === null ? eventNotFound() : ok(event);
}

export function eventNotFound(): ReturnType<typeof refuse<'event_not_found'>> {
  return refuse('event_not_found', 'There is no such event for this key.');
}
