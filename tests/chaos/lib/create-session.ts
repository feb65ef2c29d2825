import { jsonOf, textIn, type Question } from './ask.js';
import type { ShopperPartner } from './orders.js';
import type { Shop } from './shop.js';

/** Of those that were acknowledged at the first try; all others are asked for once more anyway. */
const askedTwice = 0.05;

export interface CreatedSession {
  readonly id: string;
  readonly clientSecret: string;
}

/**
 * Creates one session for one key and writes down the acknowledgement, then sometimes repeats the request to see whether the same key
 * answers the same. Null when the time was up or it was refused for good.
 */
export async function createSession(
  shop: Shop,
  partner: ShopperPartner,
  key: string,
  number: number,
): Promise<CreatedSession | null> {
  const request: Question = {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.secretKey}`, 'idempotency-key': key },
    body: {
      amount: '25.00',
      currency: 'EUR',
      flow: 'on_ramp',
      return_url: `${partner.origin}/done`,
      user_reference: key,
      metadata: { number },
    },
  };
  const answer = await shop.ask('create', '/v1/gate_sessions', request);
  if (answer === null) return null;
  const said = jsonOf(answer.text);
  const session = { id: textIn(said, 'id') ?? '', clientSecret: textIn(said, 'client_secret') ?? '' };
  const at = Date.now();
  if (answer.status !== 201) {
    shop.log.write({ kind: 'wrong', what: 'create', at, key, status: answer.status, code: textIn(said, 'code') });
    return null;
  }
  shop.log.write({
    kind: 'ack',
    key,
    session: session.id,
    sha: answer.sha,
    at,
    ms: answer.ms,
    allMs: answer.allMs,
    tries: answer.tries,
  });
  if (answer.tries > 1 || shop.luck.isHit(askedTwice)) {
    const again = await shop.ask('repeat', '/v1/gate_sessions', request);
    if (again !== null) shop.log.write({ kind: 'repeat', key, status: again.status, sha: again.sha, at: Date.now() });
  }
  return session;
}
