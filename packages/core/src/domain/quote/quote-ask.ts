import type { Flow } from '../session/terms.js';

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
