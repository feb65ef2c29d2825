import type { Alarm } from './drive.js';
import type { ExchangeLeg, ExchangePair } from './ports/legs.js';
import { jumpReason } from './trusted-prices.js';

/** Adds an alarm to the exchange, raised once each time that a pair loses its price. */
export function alarmedExchange(exchange: ExchangeLeg, alarm: Alarm): ExchangeLeg {
  const unpriced = new Set<string>();

  function notice({ asset, currency }: ExchangePair, reason: string | null): void {
    const pair = `${asset}/${currency}`;
    if (reason === null) return void unpriced.delete(pair);
    // Has the alarm `price_jump`.
    if (reason === jumpReason({ asset, currency })) return;
    if (unpriced.has(pair)) return;
    unpriced.add(pair);
    alarm('price_unavailable', { pair, reason });
  }

  return {
    ...exchange,
    async unavailable(pair) {
      const reason = await exchange.unavailable(pair);
      notice(pair, reason);
      return reason;
    },
    async price(pair, now) {
      const result = await exchange.price(pair, now);
      notice(pair, result.kind === 'unavailable' ? result.reason : null);
      return result;
    },
  };
}
