import { EVERYBODY, type Who } from './cast.js';
import type { Asking, KeyChoice } from './command.js';
import { pick, type Exchange, type Known } from './known.js';
import { byKey, byToken } from './request/credential-headers.js';
import { targetOf } from './request/target-of.js';
import type { Facts } from './request/target.js';
import { twisted } from './twisted.js';

/** The request of a command; null while its target does not exist. */
export function requestOf(
  { ask, by, caller, key, twist }: Asking,
  nth: number,
  known: Known,
  facts: Facts,
): Exchange | null {
  if (ask.to === 'repeat') return pick(known.sent, ask.nth);
  const target = targetOf(ask, EVERYBODY[by], known, facts);
  if (target === null) return null;
  const { who, method = 'GET', body = null, product } = target;
  // Pools have only one host, so `other host` uses a key of the other mode instead.
  const isTestKey = product === 'pools' && caller === 'other host';
  const mode = caller === 'other host' && !isTestKey ? otherMode(who.mode) : who.mode;
  const owner = isTestKey ? { ...who, mode: otherMode(who.mode) } : who;
  const credential =
    target.token === undefined ? byKey(target.auth ?? 'secret', owner, caller) : byToken(target.token, known, caller);
  const headers = {
    ...credential,
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...keyHeader(key, nth, method),
    ...target.headers,
  };
  const bytes = body === null ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const exchange = {
    mode,
    ...(product === undefined ? {} : { product }),
    method,
    path: target.path,
    headers,
    body: bytes,
    token: target.token ?? null,
  };
  return twist === null ? exchange : twisted(exchange, twist);
}

function keyHeader(key: KeyChoice, nth: number, method: string): Readonly<Record<string, string>> {
  if (method !== 'POST' || key.kind === 'none') return {};
  if (key.kind === 'bad') return { 'idempotency-key': key.text };
  return { 'idempotency-key': key.kind === 'fresh' ? `fresh-${nth}` : `shared-${key.nth}` };
}

function otherMode(mode: Who['mode']): Who['mode'] {
  return mode === 'test' ? 'live' : 'test';
}
