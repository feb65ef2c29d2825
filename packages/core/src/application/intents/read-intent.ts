import { err, ok, type Result } from 'neverthrow';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { EmbedToken } from '../embed/embed-token.js';
import { sessionOfToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { lapseIfDue } from './lapse-intent.js';

export type ReadIntentRefusal = Refusal<
  'intent_not_found' | 'session_not_found' | 'session_required' | 'invalid_embed_token'
>;

/** An intent of the token's own session, its lapsed action failed first. */
export async function readIntent(
  engine: Engine,
  token: EmbedToken,
  id: string,
): Promise<Result<Purchase, ReadIntentRefusal>> {
  if (token.sessionId === null) {
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  }
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const intent = await engine.store.find('intent', token.scope, id);
  if (intent?.sessionId !== token.sessionId) return refuse('intent_not_found', 'This session has no such intent.');
  return ok(await lapseIfDue(engine, intent));
}
