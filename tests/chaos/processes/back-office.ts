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
/** One of so many trades is for a small pool, which soon is too short for them. */
const smallPoolEvery = 5;
/** Of those begun for each that is asked for; more than these are not what is missing. */
const begunAtMost = 3;

/**
 * A partner without a checkout: it pays in and out over rails, trades in its pools and has dead webhooks sent again, at
 * an even pace until the asked number is answered and the faults are over. Whatever is refused or unanswered is asked
 * again with the same key.
 */
const finish = { isAsked: false };
const given = await ordersOf('back-office', () => {
  finish.isAsked = true;
});
const { origins, poolsOrigins, keys, pools, payments, trades, durationMs, finishWithinMs, seed, logPath } = given;
const log = openNdjson(logPath);
const luck = chance(seed);
const deadline = { at: Infinity };
const answered = { payments: new Set<string>(), trades: new Set<string>() };
const office: Office = {
  api: insistently({ origins, log, luck, deadline }),
  pools: insistently({ origins: poolsOrigins, log, luck, deadline }),
  keys,
  luck,
  deadline,
  write: (entry) => {
    if (entry.kind === 'payment') answered.payments.add(entry.quote);
    if (entry.kind === 'trade' || entry.kind === 'short') answered.trades.add(entry.quote);
    log.write(entry);
  },
};
const running = new Set<Promise<void>>();
const began = performance.now();

ready();
const replaying = replayDead(office, 'replay', () => finish.isAsked);
await Promise.all([
  steadily(payments, answered.payments, (number) => payOverRails(office, `payment-${number}`, number)),
  steadily(trades, answered.trades, (number) => tradeInAPool(office, poolFor(number), `trade-${number}`)),
]);
while (!finish.isAsked) await pause(tickMs);
deadline.at = performance.now() + finishWithinMs;
await Promise.all([replaying, ...running]);
log.close();
done();

/** Begun at an even pace until so many are answered, whatever happens to those before. */
async function steadily(
  count: number,
  found: ReadonlySet<string>,
  begin: (number: number) => Promise<void>,
): Promise<void> {
  const most = count * begunAtMost;
  for (let begun = 0; found.size < count && begun < most;) {
    const due = Math.floor((count * (performance.now() - began)) / durationMs) + 1;
    for (; begun < Math.min(due, most); begun += 1) {
      const work = begin(begun).finally(() => running.delete(work));
      running.add(work);
    }
    await pause(tickMs);
  }
}

function poolFor(number: number): string {
  return number % smallPoolEvery === 0 ? pools.small : pools.large;
}
