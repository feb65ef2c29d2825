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
/** One of this many trades is in a small pool, whose balance is soon too low. */
const smallPoolEvery = 5;
/** The maximum number started for each one requested; beyond it, starting more does not help. */
const begunAtMost = 3;

/**
 * A partner without a checkout: it creates pay-ins and pay-outs, trades in its pools and replays dead webhooks, at a steady
 * rate until the requested number is answered and the faults are over. Refused and unanswered requests are repeated with the
 * same key.
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

/** Started at a steady rate until this many are answered, whatever happens to earlier ones. */
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
