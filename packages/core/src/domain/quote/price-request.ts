import { err, ok, type Result } from 'neverthrow';
import { type Capabilities, mergeCapabilities, networksNow } from '../capabilities/capabilities.js';
import { type Refusal, refuse } from '../refusal.js';
import { type Flow, isSameCode } from '../session/terms.js';

/** The market to price. Null leaves a term open; only the crypto sides of the flow are read. */
export interface MarketTerms {
  readonly flow: Flow;
  /** Upper case. */
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
}

/** Why no provider can price a market. */
type MarketRefusal = Refusal<'corridor_not_supported' | 'asset_network_mismatch'>;

/** The refusal code for an unknown network. A checkout may leave the token open, so there the corridor is refused. */
export type UnlistedNetwork = MarketRefusal['code'];

/**
 * Resolves the terms among several providers, or says why none serves them. If a token's network is left open, the first provider that
 * serves the rest determines it, so that all providers price the same market.
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

/** Resolves the terms at one provider. Country and amount are checked by the provider. */
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
  served: Capabilities,
  terms: MarketTerms,
  side: 'source' | 'target',
  unlisted: UnlistedNetwork,
): Result<string | null, MarketRefusal> {
  const { flow, currency } = terms;
  const token = side === 'source' ? terms.sourceToken : terms.targetToken;
  const network = side === 'source' ? terms.sourceNetwork : terms.targetNetwork;
  const usable = served.assets
    .filter((asset) => asset.flows.includes(flow))
    .map((asset) => ({ code: asset.code, networks: networksNow(served, asset, { flow, side, currency }) }))
    .filter(({ networks }) => networks.length > 0);
  if (token === null) {
    const fits =
      network === null ? usable.length > 0 : usable.some((asset) => spelledAsServed(asset, network) !== null);
    if (fits) return ok(network);
    return refuse(
      'corridor_not_supported',
      `${flow} is not served on ${network ?? 'any network'}; see GET /v1/capabilities/assets.`,
    );
  }
  const asset = usable.find(({ code }) => isSameCode(code, token));
  const first = asset?.networks[0];
  if (asset === undefined || first === undefined)
    return refuse('corridor_not_supported', `${flow} is not served for ${token}; see GET /v1/capabilities/assets.`);
  const found = network === null ? first : spelledAsServed(asset, network);
  if (found !== null) return ok(found);
  const isListed = served.networks.some(({ code }) => code.toLowerCase() === network?.toLowerCase());
  return refuse(
    isListed ? 'asset_network_mismatch' : unlisted,
    `${asset.code} is not served on ${network ?? 'any network'}; use ${asset.networks.join(' or ')}.`,
  );
}

function spelledAsServed({ networks }: { readonly networks: readonly string[] }, network: string): string | null {
  return networks.find((one) => one.toLowerCase() === network.toLowerCase()) ?? null;
}

/** A partner's quote request. Codes are in upper case, except networks, which are spelled as in the capabilities. */
export interface PriceRequest {
  readonly side: Flow;
  readonly currency: string;
  /** The asset bought or received; for an off-ramp, the asset sold. */
  readonly asset: string;
  /** Null: the asset's first network. */
  readonly network: string | null;
  /** The asset that a swap sends; null for other sides. */
  readonly sourceAsset: string | null;
  readonly sourceNetwork: string | null;
  /** In `currency` on every side. */
  readonly amount: string;
  readonly countryCode: string;
}

/** A request with resolved networks: the same market for every provider. */
export interface ResolvedPriceRequest extends PriceRequest {
  readonly network: string;
}

/** The request as market terms: the named asset is sold in an off-ramp and bought otherwise. */
export function marketOf({ side, currency, asset, network, sourceAsset, sourceNetwork }: PriceRequest): MarketTerms {
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

/** The request with the networks of its resolved market. */
export function resolvedRequest(
  request: PriceRequest,
  { flow, sourceNetwork, targetNetwork }: MarketTerms,
): ResolvedPriceRequest {
  const network = flow === 'off_ramp' ? sourceNetwork : targetNetwork;
  if (network === null) throw new Error('A resolved market of a named asset has a network.');
  return { ...request, network, sourceNetwork: flow === 'swap' ? sourceNetwork : request.sourceNetwork };
}

/** The request as wire members. */
export function requestMembers(request: ResolvedPriceRequest) {
  return {
    side: request.side,
    currency: request.currency,
    asset: request.asset,
    network: request.network,
    amount: request.amount,
    country_code: request.countryCode,
  };
}
