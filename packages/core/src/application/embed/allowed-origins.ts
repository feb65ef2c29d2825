import { checkKeyLife, parseKey } from '../../domain/keys/api-key.js';
import type { Mode } from '../../domain/mode.js';
import type { Engine } from '../engine.js';

/**
 * Origins that may frame the checkout of a publishable key, by the rules with which bootstrap takes keys; null for one that bootstrap
 * would not take on that mode's host. Nothing is refused: the caller is the checkout's own page, which has no user to tell.
 */
export async function allowedOrigins(
  engine: Engine,
  mode: Mode,
  publishableKey: string,
): Promise<readonly string[] | null> {
  const presented = parseKey(publishableKey);
  if (presented === null || presented.type !== 'publishable' || presented.mode !== mode) return null;
  const holder = await engine.partners.findKey(engine.crypto.hash(presented.text));
  if (holder === null || holder.key.type !== 'publishable' || holder.key.mode !== mode) return null;
  if (checkKeyLife(holder.key, engine.clock.now(mode)).isErr()) return null;
  return mode === 'live' && !holder.partner.liveEnabled ? null : holder.partner.allowedOrigins;
}
