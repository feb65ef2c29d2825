import { ask, jsonOf, textIn } from '../lib/ask.js';
import { chance } from '../lib/chance.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import { openNdjson } from '../lib/ndjson.js';

const timeoutMs = 60_000;
/** The same key with another body. */
const otherwise = 0.03;

/** One of several processes that create sessions with the same few keys at once, and log every response. */
const { origins, partner, keys, requests, inFlight, seed, logPath } = await ordersOf('racer', () => undefined);
const log = openNdjson(logPath);
const luck = chance(seed);
ready();
let left = requests;
await Promise.all(Array.from({ length: inFlight }, race));
log.close();
done();

async function race(): Promise<void> {
  while (left > 0) {
    left -= 1;
    // All processes use the keys at about the same pace, so that they collide at each key.
    const around = Math.floor(((requests - left) / requests) * keys.length);
    const key = keys[Math.min(keys.length - 1, Math.max(0, around - luck.between(0, 1)))];
    await createOnce(key, luck.isHit(otherwise) ? '30.00' : '20.00');
  }
}

async function createOnce(key: string | undefined, amount: string): Promise<void> {
  if (key === undefined) throw new Error('There is no key to race for.');
  const answer = await ask(`${luck.pick(origins)}/v1/gate_sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.secretKey}`, 'idempotency-key': key },
    body: { amount, currency: 'EUR', return_url: `${partner.origin}/done`, user_reference: key },
    timeoutMs,
  });
  const body = answer.status === null ? null : jsonOf(answer.text);
  log.write({
    key,
    amount,
    status: answer.status,
    code: answer.status === null ? answer.error : textIn(body, 'code'),
    session: answer.status === 201 ? textIn(body, 'id') : null,
    sha: answer.status === null ? null : answer.sha,
  });
}
