import type { Flow } from '../session/terms.js';
import type { MarketTerms } from './resolve-ask.js';

/** What a partner wants priced. Codes are in upper case but for networks, which are spelled as they are served. */
export interface QuoteAsk {
  readonly side: Flow;
  readonly currency: string;
  /** What is bought or received; on an off-ramp, what is sold. */
  readonly asset: string;
  /** Null: the asset's first one. */
  readonly network: string | null;
  /** What a swap sends; null on every other side. */
  readonly sourceAsset: string | null;
  readonly sourceNetwork: string | null;
  /** In `currency` on every side. */
  readonly amount: string;
  readonly countryCode: string;
}

/** An ask whose networks are resolved: one market, whichever provider prices it. */
export interface ServedAsk extends QuoteAsk {
  readonly network: string;
}

/** The ask as the terms of a market: what an off-ramp names as its asset is sold, and bought on every other side. */
export function marketOf({ side, currency, asset, network, sourceAsset, sourceNetwork }: QuoteAsk): MarketTerms {
  return side === 'off_ramp'
    ? {
        flow: side,
        currency,
        sourceToken: asset,
        sourceNetwork: network,
        targetToken: null,
        targetNetwork: null,
      }
    : {
        flow: side,
        currency,
        sourceToken: sourceAsset,
        sourceNetwork,
        targetToken: asset,
        targetNetwork: network,
      };
}

/** The ask with the networks of its resolved market. */
export function servedAsk(ask: QuoteAsk, { flow, sourceNetwork, targetNetwork }: MarketTerms): ServedAsk {
  const network = flow === 'off_ramp' ? sourceNetwork : targetNetwork;
  if (network === null) throw new Error('A resolved market of a named asset has a network.');
  return { ...ask, network, sourceNetwork: flow === 'swap' ? sourceNetwork : ask.sourceNetwork };
}

/** What was asked, as previews and executable quotes echo it. */
export type GateAsk = {
  readonly side: Flow;
  readonly currency: string;
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly country_code: string;
};

/** What was asked for, in the words of the wire. */
export function askMembers(ask: ServedAsk): GateAsk {
  return {
    side: ask.side,
    currency: ask.currency,
    asset: ask.asset,
    network: ask.network,
    amount: ask.amount,
    country_code: ask.countryCode,
  };
}
