import { ask, jsonOf } from '../lib/ask.mjs';
import { chance } from '../lib/chance.mjs';
import { done, orders } from '../lib/helper-process.mjs';
import { openNdjson } from '../lib/ndjson.mjs';

const timeoutMs = 30_000;
/** Same key, other body. */
const otherwise = 0.03;

/** One of several processes that ask for sessions under the same few keys at once, and write down every answer. */
const { origins, partner, keys, requests, inFlight, seed, logPath } = await orders(() => undefined);
const log = openNdjson(logPath);
const luck = chance(seed);
process.send({ ready: true });
let left = requests;
await Promise.all(Array.from({ length: inFlight }, race));
log.close();
done();

async function race() {
  while (left > 0) {
    left -= 1;
    // All processes walk through the keys at about the same pace, so that they meet at each of them.
    const around = Math.floor(((requests - left) / requests) * keys.length);
    const key = keys[Math.min(keys.length - 1, Math.max(0, around - luck.between(0, 1)))];
    await createOnce(key, luck.isHit(otherwise) ? '30.00' : '20.00');
  }
}

async function createOnce(key, amount) {
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
    code: body?.code ?? answer.error ?? null,
    session: answer.status === 201 ? body.id : null,
    sha: answer.sha ?? null,
  });
}
