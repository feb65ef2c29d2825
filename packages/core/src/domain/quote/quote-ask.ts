import { ok, type Result } from 'neverthrow';
import type { Capabilities, ServedAsset } from '../capabilities/capabilities.js';
import { refuse, type Refusal } from '../refusal.js';
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

/** An ask whose networks are settled: one market, whichever provider prices it. */
export interface ServedAsk extends QuoteAsk {
  readonly network: string;
}

/** The ask on what is served, or why it is not. That its parts go together, its country and its amount are for providers to say. */
export function settleAsk(
  served: Capabilities,
  ask: QuoteAsk,
): Result<ServedAsk, Refusal<'corridor_not_supported' | 'asset_network_mismatch'>> {
  const currency = served.currencies.find(({ code }) => code === ask.currency);
  if (currency === undefined || !currency.flows.includes(ask.side))
    return refuse(
      'corridor_not_supported',
      `${ask.side} is not served in ${ask.currency}; see GET /v1/capabilities/currencies.`,
    );
  return settle(served, ask.side, ask.asset, ask.network).andThen((network) => {
    if (ask.sourceAsset === null) return ok({ ...ask, network });
    const source = settle(served, ask.side, ask.sourceAsset, ask.sourceNetwork);
    return source.map((sourceNetwork) => ({ ...ask, network, sourceNetwork }));
  });
}

function settle(
  { assets }: Capabilities,
  side: Flow,
  code: string,
  network: string | null,
): Result<string, Refusal<'corridor_not_supported' | 'asset_network_mismatch'>> {
  const asset = assets.find((one) => one.code === code);
  const first = asset?.networks[0];
  if (asset === undefined || first === undefined || !asset.flows.includes(side))
    return refuse('corridor_not_supported', `${side} is not served for ${code}; see GET /v1/capabilities/assets.`);
  const found = network === null ? first : spelledAsServed(asset, network);
  if (found !== null) return ok(found);
  return refuse(
    'asset_network_mismatch',
    `${code} is not served on ${network ?? 'no network'}; use ${asset.networks.join(' or ')}.`,
  );
}

function spelledAsServed({ networks }: ServedAsset, network: string): string | null {
  return networks.find((one) => one.toLowerCase() === network.toLowerCase()) ?? null;
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
