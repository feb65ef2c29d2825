import { err, type Result } from 'neverthrow';
import type { Partner } from '../../domain/partner/partner.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Engine } from '../engine.js';
import { cancelSession, type CancelSessionRefusal } from '../sessions/cancel-session.js';
import { type OpenedSession, retrieveEmbedSession } from './bootstrap.js';
import { type EmbedToken, sessionOfToken } from './embed-token.js';

/** The buyer cancels the session of the embed token, as the partner would by its id. */
export async function cancelEmbedSession(
  engine: Engine,
  caller: { readonly token: EmbedToken; readonly partner: Partner },
): Promise<Result<OpenedSession, CancelSessionRefusal | Refusal<'invalid_embed_token'>>> {
  const session = await sessionOfToken(engine, caller.token);
  if (session.isErr()) return err(session.error);
  const cancelled = await cancelSession(engine, caller.token.scope, session.value.id);
  return cancelled.isErr() ? err(cancelled.error) : retrieveEmbedSession(engine, caller);
}
