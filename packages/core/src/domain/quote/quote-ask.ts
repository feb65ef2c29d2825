import { err, ok, type Result } from 'neverthrow';
import { type Capabilities, mergeCapabilities, type ServedAsset } from '../capabilities/capabilities.js';
import { type Refusal, refuse } from '../refusal.js';
import type { Flow } from '../session/terms.js';

/** The market of a price. Null leaves a term open; only the sides that the flow has crypto on are read. */
export interface MarketTerms {
  readonly flow: Flow;
  /** In upper case. */
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
}

/** Why no provider can price a market. */
type MarketRefusal = Refusal<'corridor_not_supported' | 'asset_network_mismatch'>;

/** What a network that is listed nowhere is refused with: at a checkout, which may leave the token open, it is the corridor. */
export type UnlistedNetwork = MarketRefusal['code'];

/**
 * The terms on what several providers serve, or why none of them does. The network of a named token that is left open becomes that of the
 * first provider that serves the rest, so that all of them price one market.
 */
export function resolveAmong<Terms extends MarketTerms>(
  all: readonly Capabilities[],
  terms: Terms,
  unlisted: UnlistedNetwork = 'asset_network_mismatch',
): Result<Terms, MarketRefusal> {
  for (const served of all) {
    const resolved = resolveMarket(served, terms);
    if (resolved.isOk()) return resolved;
  }
  const together = resolveMarket(mergeCapabilities(all), terms, unlisted);
  if (together.isErr()) return err(together.error);
  return refuse('corridor_not_supported', `No provider serves ${terms.flow} in ${terms.currency} for these assets.`);
}

/** The terms on what one provider serves. Whether it serves the country and the amount is for the provider to say. */
export function resolveMarket<Terms extends MarketTerms>(
  served: Capabilities,
  terms: Terms,
  unlisted: UnlistedNetwork = 'asset_network_mismatch',
): Result<Terms, MarketRefusal> {
  const { flow, currency } = terms;
  const found = served.currencies.find(({ code }) => code === currency);
  if (!served.flows.includes(flow) || found?.flows.includes(flow) !== true)
    return refuse(
      'corridor_not_supported',
      `${flow} is not served in ${currency}; see GET /v1/capabilities/currencies.`,
    );
  const source = flow === 'on_ramp' ? ok(terms.sourceNetwork) : resolveNetwork(served, terms, 'source', unlisted);
  if (source.isErr()) return err(source.error);
  const target = flow === 'off_ramp' ? ok(terms.targetNetwork) : resolveNetwork(served, terms, 'target', unlisted);
  return target.map((targetNetwork) => ({ ...terms, sourceNetwork: source.value, targetNetwork }));
}

function resolveNetwork(
  { assets, networks }: Capabilities,
  terms: MarketTerms,
  side: 'source' | 'target',
  unlisted: UnlistedNetwork,
): Result<string | null, MarketRefusal> {
  const { flow } = terms;
  const token = side === 'source' ? terms.sourceToken : terms.targetToken;
  const network = side === 'source' ? terms.sourceNetwork : terms.targetNetwork;
  const usable = assets.filter((asset) => asset.flows.includes(flow) && asset.networks.length > 0);
  if (token === null) {
    const fits =
      network === null ? usable.length > 0 : usable.some((asset) => spelledAsServed(asset, network) !== null);
    if (fits) return ok(network);
    return refuse(
      'corridor_not_supported',
      `${flow} is not served on ${network ?? 'any network'}; see GET /v1/capabilities/assets.`,
    );
  }
  const asset = usable.find(({ code }) => code.toUpperCase() === token.toUpperCase());
  const first = asset?.networks[0];
  if (asset === undefined || first === undefined)
    return refuse('corridor_not_supported', `${flow} is not served for ${token}; see GET /v1/capabilities/assets.`);
  const found = network === null ? first : spelledAsServed(asset, network);
  if (found !== null) return ok(found);
  const isListed = networks.some(({ code }) => code.toLowerCase() === network?.toLowerCase());
  return refuse(
    isListed ? 'asset_network_mismatch' : unlisted,
    `${asset.code} is not served on ${network ?? 'any network'}; use ${asset.networks.join(' or ')}.`,
  );
}

function spelledAsServed({ networks }: ServedAsset, network: string): string | null {
  return networks.find((one) => one.toLowerCase() === network.toLowerCase()) ?? null;
}

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

/** What was asked for, in the words of the wire. */
export function askMembers(ask: ServedAsk) {
  return {
    side: ask.side,
    currency: ask.currency,
    asset: ask.asset,
    network: ask.network,
    amount: ask.amount,
    country_code: ask.countryCode,
  };
}
