import { pause } from '../lib/ask.js';
import { chance } from '../lib/chance.js';
import { createSession } from '../lib/create-session.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import { insistently } from '../lib/insistently.js';
import { openNdjson } from '../lib/ndjson.js';
import type { Shop } from '../lib/shop.js';
import { purchase } from '../lib/purchase.js';

const tickMs = 20;
/** Requests are repeated until answered, so that the laws know whether their result exists. Only buyers who wait for a payment may stop. */
const NEVER = { at: Infinity };

/**
 * Partners' servers and buyers. Sessions are created at a steady rate until the requested number is acknowledged and the
 * faults are over; some are paid. Refused and unanswered requests are repeated with the same key, as a real client
 * does.
 */
const finish = { isAsked: false };
const given = await ordersOf('shopper', () => {
  finish.isAsked = true;
});
const {
  name,
  origins,
  checkouts,
  partners,
  creates,
  purchases,
  durationMs,
  inFlightMax,
  finishWithinMs,
  seed,
  logPath,
} = given;
const log = openNdjson(logPath);
const luck = chance(seed);
const running = new Set<Promise<void>>();
const deadline = { at: Infinity };
const shop: Shop = { log, ask: insistently({ origins, checkouts, log, luck, deadline: NEVER }), deadline, luck };
const began = performance.now();
const every = Math.max(1, Math.floor(creates / Math.max(1, purchases)));
let begun = 0;
let acknowledged = 0;

ready();
while (!finish.isAsked || acknowledged < creates) {
  const due = Math.floor((creates * (performance.now() - began)) / durationMs) + 1;
  while (begun < due && running.size < inFlightMax) begin(begun++);
  await pause(tickMs);
}
deadline.at = performance.now() + finishWithinMs;
await Promise.all(running);
log.close();
done();

function begin(number: number): void {
  const work = shopOnce(number).finally(() => running.delete(work));
  running.add(work);
}

async function shopOnce(number: number): Promise<void> {
  const key = `${name}-${number}`;
  const partner = partners[number % partners.length];
  if (partner === undefined) throw new Error('There is no partner to shop at.');
  const created = await createSession(shop, partner, key, number);
  if (created === null) return;
  acknowledged += 1;
  if (number % every === 0) await purchase(shop, partner, key, created, number);
}
