import { isRecord } from '@gateramp/core/domain';
import { jsonOf, pause, textIn } from '../lib/ask.js';
import { codeOf, once, posted, read, wrong, type Office } from './office.js';

const roundMs = 600;
const manyAtOnce = 5;

/**
 * Replays dead webhooks one at a time, sometimes the same one twice at once, and every third round several in one request,
 * until stopped.
 */
export async function replayDead(office: Office, name: string, isOver: () => boolean): Promise<void> {
  for (let round = 1; !isOver(); round += 1) {
    const key = `${name}-${round}`;
    if (round % 3 === 0) await replayMany(office, key);
    else await replayOne(office, key);
    await pause(roundMs);
  }
}

async function replayOne(office: Office, key: string): Promise<void> {
  const path = '/v1/webhooks/deliveries?status=dead_lettered&limit=20';
  const answer = await office.api('dead webhooks', path, read(office.keys.test));
  if (answer === null) return;
  if (answer.status !== 200) return wrong(office, 'dead webhooks', key, answer);
  const listed = jsonOf(answer.text)?.data;
  const ids = (Array.isArray(listed) ? listed : []).filter(isRecord).map((one) => textIn(one, 'id') ?? '');
  if (ids.length === 0) return;
  const id = office.luck.pick(ids);
  const keys = office.luck.isHit(0.3) ? [key, `${key}-rival`] : [key];
  await Promise.all(keys.map((one) => replayed(office, one, id)));
}

async function replayed(office: Office, key: string, delivery: string): Promise<void> {
  const path = `/v1/webhooks/deliveries/${delivery}/replay`;
  const answer = await once(office, office.api, 'replay', path, posted(office.keys.test, key, null));
  if (answer === null) return office.write({ kind: 'open', what: 'replay', key, quote: null, atMost: 1 });
  if (answer.status === 202) return office.write({ kind: 'replay', key, delivery, times: 1 });
  // Another request replayed it first.
  if (codeOf(answer) !== 'delivery_not_dead_lettered') wrong(office, 'replay', key, answer);
}

async function replayMany(office: Office, key: string): Promise<void> {
  const question = posted(office.keys.test, key, { limit: manyAtOnce });
  const answer = await once(office, office.api, 'replay of many', '/v1/webhooks/deliveries/replay', question);
  if (answer === null) return office.write({ kind: 'open', what: 'replay', key, quote: null, atMost: manyAtOnce });
  const times = jsonOf(answer.text)?.replayed;
  if (answer.status === 202 && typeof times === 'number')
    return office.write({ kind: 'replay', key, delivery: null, times });
  wrong(office, 'replay of many', key, answer);
}
