import { credentialsOf, type Who } from '../cast.js';
import type { Caller } from '../command.js';
import type { Known, KnownToken } from '../known.js';

type Headers = Readonly<Record<string, string>>;

export function byKey(auth: 'secret' | 'publishable' | 'none', who: Who, caller: Caller): Headers {
  if (auth === 'none') return {};
  const own = credentialsOf(who);
  const rival = credentialsOf({ ...who, partner: who.partner === 0 ? 1 : 0 });
  const keys: Readonly<Record<Caller, string | null>> = {
    owner: own[auth],
    rival: rival[auth],
    'other host': own[auth],
    'other type': auth === 'secret' ? own.publishable : own.secret,
    unknown: `${own[auth]}x`,
    revoked: caller === 'revoked' && auth === 'secret' ? own.spare : own.revoked,
    expired: own.expiring,
    malformed: 'sk_test_',
    none: null,
  };
  const key = keys[caller];
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

export function byToken(own: KnownToken, known: Known, caller: Caller): Headers {
  const rival = known.tokens.findLast(({ who }) => who.mode === own.who.mode && who.partner !== own.who.partner);
  switch (caller) {
    case 'none':
      return {};
    case 'malformed':
    case 'unknown':
      return { 'x-embed-token': `${own.text.slice(0, -3)}abc` };
    case 'rival':
      return { 'x-embed-token': rival?.text ?? own.text };
    default:
      return { 'x-embed-token': own.text };
  }
}
