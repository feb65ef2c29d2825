import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import type { Engine } from '../engine.js';
import { readSession } from './read-session.js';

/** One session of this partner and mode; those of others do not exist. */
export async function retrieveSession(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<Session, Refusal<'session_not_found'>>> {
  const session = await readSession(engine, scope, id);
  return session === null ? sessionNotFound() : ok(session);
}

export function sessionNotFound(): ReturnType<typeof refuse<'session_not_found'>> {
  return refuse('session_not_found', 'There is no such session for this key.');
}
