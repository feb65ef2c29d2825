import { jsonOf } from './ask.mjs';

/** Of those that were acknowledged at the first try; all others are asked for once more anyway. */
const askedTwice = 0.05;

/**
 * Creates one session for one key and writes down the acknowledgement, then sometimes repeats the request to see whether the same key
 * answers the same. Null when the time was up or it was refused for good.
 */
export async function createSession(shop, partner, key, number) {
  const request = {
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
  const session = jsonOf(answer.text);
  const at = Date.now();
  if (answer.status !== 201) {
    shop.log.write({ kind: 'wrong', what: 'create', at, key, status: answer.status, code: session?.code ?? null });
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
    if (again !== null)
      shop.log.write({ kind: 'repeat', key, status: again.status, sha: again.sha ?? null, at: Date.now() });
  }
  return session;
}
