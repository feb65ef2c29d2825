import { credentialsOf, EVERYBODY } from './cast.js';
import type { Exchange } from './known.js';

/** Every list of everybody, from its newest page. Asked by a key that no history revokes. */
export const walk: readonly Pick<Exchange, 'mode' | 'path' | 'headers'>[] = EVERYBODY.flatMap((who) =>
  ['/v1/gate_sessions', '/v1/transactions'].map((path) => ({
    mode: who.mode,
    path,
    headers: { authorization: `Bearer ${credentialsOf(who).secret}` },
  })),
);
