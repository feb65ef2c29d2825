import type { TradeRow } from './database-facts.js';
import { decimalOf, sumOf, unitsOf } from './decimal.js';
import type { Facts } from './facts.js';
import { groupBy, indexBy } from './index-by.js';
import type { Found, Law } from './law.js';
import { isCarriedOut, isUnderWay, isUndone, movedBy } from './moved.js';

export const POOL_LAWS: readonly Law<Facts>[] = [
  {
    law: 'trades acknowledged or refused for want of balance',
    check: ({ office, form }) => ({
      found: new Set([...office.trades, ...office.short].map(({ quote }) => quote)).size,
      atLeast: form.office.trades,
    }),
  },
  {
    law: 'trades refused for want of balance',
    check: ({ office }) => ({ found: office.short.length, atLeast: 1 }),
  },
  { law: 'trades lost, made twice or unknown', check: strays },
  { law: 'trades that were refused for want of balance and made', check: madeAllTheSame },
  { law: 'balances of pools off by a unit', check: offBalances },
  { law: 'balances of pools shown otherwise than they can be', check: shownWrongly },
  { law: 'trades whose money moved otherwise', check: mismoved },
  { law: 'trades that keep money reserved', check: reserved },
];

/** A quote has one trade, whichever idempotency key received it. */
function strays({ office, database }: Facts): Found {
  const byQuote = groupBy(database.trades, ({ quote }) => quote);
  const known = new Set<string | null>([...office.trades, ...office.open].map(({ quote }) => quote));
  const lost = office.trades.filter(({ trade, quote }) => byQuote.get(quote)?.[0]?.id !== trade);
  const twice = [...byQuote.values()].filter((trades) => trades.length > 1).flat();
  return { breaches: [...lost, ...twice, ...database.trades.filter(({ quote }) => !known.has(quote))] };
}

function madeAllTheSame({ office, database }: Facts): Found {
  const made = indexBy(database.trades, ({ quote }) => quote);
  const acknowledged = new Set(office.trades.map(({ quote }) => quote));
  // Of two requests for one quote, one may arrive while the balance is too low and the other when it is not.
  return { breaches: office.short.filter(({ quote }) => made.has(quote) && !acknowledged.has(quote)) };
}

interface Balance {
  readonly pool: string;
  readonly currency: string;
  readonly available: string;
  readonly reserved: string;
}

/**
 * Starting from the initial balance: completed trades have moved their amounts, running trades have reserved them, and failed
 * trades have moved nothing.
 */
function offBalances({ opening, database }: Facts): Found {
  const balances = Object.entries(opening).flatMap(([pool, currencies]) =>
    Object.entries(currencies).map(([currency, amount]) => ({ pool, currency, amount })),
  );
  const valueOf = (pool: string, currency: string, part: string): string =>
    database.balances.find(({ name }) => name.endsWith(`/${pool}/${currency}/${part}`))?.value ?? '0';
  const breaches = balances.flatMap(({ pool, currency, amount }) => {
    const taken = (status: string): bigint =>
      sumOf(
        database.trades.filter((trade) => trade.pool === pool && trade.status === status).flatMap(amountIn(currency)),
      );
    const expected: Balance = {
      pool,
      currency,
      available: decimalOf(unitsOf(amount) - taken('completed') - taken('processing')),
      reserved: decimalOf(taken('processing')),
    };
    const found: Balance = {
      pool,
      currency,
      available: decimalOf(unitsOf(valueOf(pool, currency, 'available'))),
      reserved: decimalOf(unitsOf(valueOf(pool, currency, 'reserved'))),
    };
    const isRight = found.available === expected.available && found.reserved === expected.reserved;
    return isRight && !found.available.startsWith('-') ? [] : [{ expected, found }];
  });
  return { breaches };
}

const amountIn =
  (currency: string) =>
  (trade: TradeRow): string[] =>
    [trade.in, trade.out].filter((money) => money.currency === currency).map(({ amount }) => amount);

/** In every read of a pool: its parts add up, no part is negative, and no money appeared. */
function shownWrongly({ office, opening }: Facts): Found {
  return {
    breaches: office.balances.filter(({ pool, balances }) => {
      const isRight = ({ currency, total, available, reserved: held }: (typeof balances)[number]): boolean =>
        unitsOf(total) === unitsOf(available) + unitsOf(held) &&
        unitsOf(available) >= 0n &&
        unitsOf(held) >= 0n &&
        unitsOf(total) <= unitsOf(opening[pool]?.[currency] ?? '0');
      return balances.length !== 2 || !balances.every(isRight);
    }),
  };
}

function mismoved({ database }: Facts): Found {
  const moved = movedBy(database);
  return {
    breaches: database.trades.filter((trade) => {
      const movements = moved(trade.operation);
      if (trade.status === 'completed') return !isCarriedOut(movements, trade);
      return trade.status === 'failed' ? !isUndone(movements) : !isUnderWay(movements);
    }),
  };
}

/** A running trade is accepted if a task continues it: a run may end before the lease of a killed worker. */
function reserved({ database, form }: Facts): Found {
  const under = database.trades.filter(({ status }) => status === 'processing');
  return { breaches: form.mayBeUnfinished ? under.filter(({ isDriven }) => !isDriven) : under };
}
