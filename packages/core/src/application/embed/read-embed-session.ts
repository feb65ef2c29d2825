import { ok, err, type Result } from 'neverthrow';
import type { Partner } from '../../domain/partner/partner.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import type { Engine } from '../engine.js';
import { sessionOfToken, type EmbedToken } from './embed-token.js';
import { surveyOffer, type Offer } from './offer.js';

export interface OpenedSession extends Offer {
  readonly session: Session;
  readonly partner: Partner;
}

/** The session of an embed token, and what its checkout may offer: an iframe has not seen the bootstrap answer. */
export async function readEmbedSession(
  engine: Engine,
  { token, partner }: { readonly token: EmbedToken; readonly partner: Partner },
): Promise<Result<OpenedSession, Refusal<'session_not_found' | 'invalid_embed_token'>>> {
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const { offer } = await surveyOffer(engine, { partner, scope: token.scope }, session.value);
  return ok({ session: session.value, partner, ...offer });
}
