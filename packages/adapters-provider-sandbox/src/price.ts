import { decimal, feeTotal, type Decimal, type Fee, type Side } from '@gateramp/core/domain';
import { SANDBOX_TOKENS, type Asset, type Corridor } from './corridors.js';

/** The price of an amount. Invariants: sourceTotal = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
export interface Price {
  readonly source: Side;
  readonly destination: Side;
  /** The yield of one sent unit, with 18 significant digits. Amounts are computed from the exact prices, never from this. */
  readonly exchangeRate: string;
  readonly sourceSubtotal: string;
  readonly sourceTotal: string;
  /** In the currency or asset that the user sends. */
  readonly fees: readonly Fee[];
  readonly feeTotal: string;
}

/** Basis points of the amount. */
export const SERVICE_FEE_BPS = 100;
const SERVICE_FEE_SHARE = String(SERVICE_FEE_BPS / 10_000);
const SERVICE_FEE_MIN = '0.10';
export const NETWORK_FEES: Readonly<Record<string, string>> = { base: '0.05', ethereum: '0.50' };
const RATE_DIGITS = 18;

/** The price of `amount` in the corridor's currency. Fees are deducted from what is bought or swapped, and added to what is sold. */
export function priceOf(corridor: Corridor, amount: string): Price {
  const fees = feesOf(corridor, amount);
  const total = feeTotal(fees);
  switch (corridor.flow) {
    case 'on_ramp': {
      const asset = present(corridor.target);
      const subtotal = decimal.subtract(amount, total);
      const rate = rateOf(asset, corridor.currency);
      return {
        source: { amount, currency: corridor.currency, network: null },
        destination: sideOf(asset, decimal.divideDown(subtotal, rate, factsOf(asset).decimals)),
        exchangeRate: decimal.divideSignificant('1', rate, RATE_DIGITS),
        sourceSubtotal: asMoney(subtotal),
        sourceTotal: asMoney(amount),
        fees,
        feeTotal: asMoney(total),
      };
    }
    case 'off_ramp': {
      const asset = present(corridor.source);
      const subtotal = inToken(amount, asset, corridor.currency);
      const sent = decimal.add(subtotal, total);
      return {
        source: sideOf(asset, sent),
        destination: { amount, currency: corridor.currency, network: null },
        exchangeRate: rateOf(asset, corridor.currency),
        sourceSubtotal: subtotal,
        sourceTotal: sent,
        fees,
        feeTotal: total,
      };
    }
    case 'swap': {
      const from = present(corridor.source);
      const to = present(corridor.target);
      const sent = inToken(amount, from, corridor.currency);
      const subtotal = decimal.subtract(sent, total);
      const worth = decimal.multiply(subtotal, rateOf(from, corridor.currency));
      const targetRate = rateOf(to, corridor.currency);
      return {
        source: sideOf(from, sent),
        destination: sideOf(to, decimal.divideDown(worth, targetRate, factsOf(to).decimals)),
        exchangeRate: decimal.divideSignificant(rateOf(from, corridor.currency), targetRate, RATE_DIGITS),
        sourceSubtotal: subtotal,
        sourceTotal: sent,
        fees,
        feeTotal: total,
      };
    }
  }
}

/** One per cent, at least 0.10, plus the network fee of the crypto side. */
function feesOf(corridor: Corridor, amount: string): readonly Fee[] {
  const share = decimal.toFixedDown(decimal.multiply(amount, SERVICE_FEE_SHARE), 2);
  const service = decimal.compare(share, SERVICE_FEE_MIN) < 0 ? SERVICE_FEE_MIN : share;
  const network = NETWORK_FEES[present(corridor.target ?? corridor.source).network] ?? '0.50';
  const { source, currency } = corridor;
  if (source === null) {
    return [
      { type: 'service', amount: service, currency },
      { type: 'network', amount: network, currency },
    ];
  }
  return [
    { type: 'service', amount: inToken(service, source, currency), currency: source.token },
    { type: 'network', amount: inToken(network, source, currency), currency: source.token },
  ];
}

/** The amount of the token that is worth at least `fiat`: rounded up, or the user would send too little. */
function inToken(fiat: string, asset: Asset, currency: string): Decimal {
  const rate = rateOf(asset, currency);
  const { decimals } = factsOf(asset);
  const down = decimal.divideDown(fiat, rate, decimals);
  if (decimal.compare(decimal.multiply(down, rate), fiat) >= 0) return down;
  return decimal.add(down, decimal.divideDown('1', `1${'0'.repeat(decimals)}`, decimals));
}

/** Two fractional digits, or more if the amount itself has more. */
function asMoney(amount: Decimal): Decimal {
  const exact = decimal.normalise(amount);
  const digits = exact.includes('.') ? exact.length - exact.indexOf('.') - 1 : 0;
  return decimal.toFixedDown(exact, Math.max(2, digits));
}

function sideOf(asset: Asset, amount: string): Side {
  return { amount, currency: asset.token, network: asset.network };
}

function rateOf(asset: Asset, currency: string): string {
  const rate = factsOf(asset).prices[currency];
  if (rate === undefined) throw new Error(`No price of ${asset.token} in ${currency}.`);
  return rate;
}

function factsOf(asset: Asset) {
  const facts = SANDBOX_TOKENS[asset.token];
  if (facts === undefined) throw new Error(`Unknown token ${asset.token}.`);
  return facts;
}

/** A corridor has the sides that its flow requires; a missing one is a bug. */
function present(asset: Asset | null): Asset {
  if (asset === null) throw new Error('The corridor lacks a side.');
  return asset;
}
