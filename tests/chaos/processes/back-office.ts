import { pause } from '../lib/ask.js';
import { chance } from '../lib/chance.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import { insistently } from '../lib/insistently.js';
import { openNdjson } from '../lib/ndjson.js';
import type { Office } from '../office/office.js';
import { payOverRails } from '../office/pay-over-rails.js';
import { replayDead } from '../office/replay-dead.js';
import { tradeInAPool } from '../office/trade-in-a-pool.js';

const tickMs = 20;
/** Of trades that a small pool is asked for, which soon is too short for them. */
const atTheSmallPool = 0.2;

/**
 * A partner without a checkout: it pays in and out over rails, trades in its pools and has dead webhooks sent again, at an even pace until the
 * asked number is begun and the faults are over. Whatever is refused or unanswered is asked again with the same key.
 */
const told = { isTold: false };
const given = await ordersOf('back-office', () => {
  told.isTold = true;
});
const { origins, poolsOrigins, keys, pools, payments, trades, durationMs, finishWithinMs, seed, logPath } = given;
const log = openNdjson(logPath);
const luck = chance(seed);
const deadline = { at: Infinity };
const office: Office = {
  api: insistently({ origins, log, luck, deadline }),
  pools: insistently({ origins: poolsOrigins, log, luck, deadline }),
  keys,
  luck,
  deadline,
  write: (entry) => log.write(entry),
};
const running = new Set<Promise<void>>();
const began = performance.now();

ready();
const replaying = replayDead(office, 'replay', () => told.isTold);
await Promise.all([
  steadily(payments, (number) => payOverRails(office, `payment-${number}`, number)),
  steadily(trades, (number) => tradeInAPool(office, poolFor(), `trade-${number}`)),
]);
while (!told.isTold) await pause(tickMs);
deadline.at = performance.now() + finishWithinMs;
await Promise.all([replaying, ...running]);
log.close();
done();

/** So many, spread over the time there is, whatever becomes of those before. */
async function steadily(count: number, begin: (number: number) => Promise<void>): Promise<void> {
  for (let begun = 0; begun < count;) {
    const due = Math.floor((count * (performance.now() - began)) / durationMs) + 1;
    for (; begun < Math.min(due, count); begun += 1) {
      const work = begin(begun).finally(() => running.delete(work));
      running.add(work);
    }
    await pause(tickMs);
  }
}

function poolFor(): string {
  return luck.isHit(atTheSmallPool) ? pools.small : pools.large;
}
