import { pause } from '../lib/ask.mjs';
import { chance } from '../lib/chance.mjs';
import { createSession } from '../lib/create-session.mjs';
import { done, orders } from '../lib/helper-process.mjs';
import { insistently } from '../lib/insistently.mjs';
import { openNdjson } from '../lib/ndjson.mjs';
import { purchase } from '../lib/purchase.mjs';

const tickMs = 20;

/**
 * Partners' servers and buyers. Sessions are created at an even pace until the asked number is acknowledged and the faults are over; some of
 * them are paid for. Whatever is refused or unanswered is asked again with the same key, as a real client does.
 */
let isTold = false;
const given = await orders(() => {
  isTold = true;
});
const { name, origins, partners, creates, purchases, durationMs, inFlightMax, finishWithinMs, seed, logPath } = given;
const log = openNdjson(logPath);
const luck = chance(seed);
const running = new Set();
const deadline = { at: Infinity };
const shop = { origins, log, ask: insistently({ origins, log, luck, deadline }), deadline, luck };
const began = performance.now();
const every = Math.max(1, Math.floor(creates / Math.max(1, purchases)));
let begun = 0;
let acknowledged = 0;

process.send({ ready: true });
while (!isTold || acknowledged < creates) {
  const due = Math.floor((creates * (performance.now() - began)) / durationMs) + 1;
  while (begun < due && running.size < inFlightMax) begin(begun++);
  await pause(tickMs);
}
deadline.at = performance.now() + finishWithinMs;
await Promise.all(running);
log.close();
done();

function begin(number) {
  const work = shopOnce(number).finally(() => running.delete(work));
  running.add(work);
}

async function shopOnce(number) {
  const key = `${name}-${number}`;
  const partner = partners[number % partners.length];
  const created = await createSession(shop, partner, key, number);
  if (created === null) return;
  acknowledged += 1;
  if (number % every === 0) await purchase(shop, partner, key, created, number);
}
