import { err, ok, type Result } from 'neverthrow';
import type { Capabilities, ServedAsset } from '../capabilities/capabilities.js';
import { mergeCapabilities } from '../capabilities/merge-capabilities.js';
import { refuse, type Refusal } from '../refusal.js';
import type { Flow } from '../session/terms.js';
import type { QuoteAsk, ServedAsk } from './quote-ask.js';

/** Why an ask cannot be priced by anybody. */
export type AskRefusal = Refusal<'corridor_not_supported' | 'asset_network_mismatch'>;

/**
 * The ask on what several providers serve, or why none of them does. Networks that it leaves open become those of the first provider that
 * serves the rest, so that all of them price one market.
 */
export function resolveAmong(all: readonly Capabilities[], ask: QuoteAsk): Result<ServedAsk, AskRefusal> {
  for (const served of all) {
    const resolved = resolveAsk(served, ask);
    if (resolved.isOk()) return resolved;
  }
  const together = resolveAsk(mergeCapabilities(all), ask);
  if (together.isErr()) return err(together.error);
  return refuse('corridor_not_supported', `${ask.side} is not served in ${ask.currency} for ${ask.asset}.`);
}

/** The ask on what one of them serves. That its parts go together, its country and its amount are for the provider to say. */
export function resolveAsk(served: Capabilities, ask: QuoteAsk): Result<ServedAsk, AskRefusal> {
  const currency = served.currencies.find(({ code }) => code === ask.currency);
  if (currency === undefined || !currency.flows.includes(ask.side))
    return refuse(
      'corridor_not_supported',
      `${ask.side} is not served in ${ask.currency}; see GET /v1/capabilities/currencies.`,
    );
  return resolveNetwork(served, ask.side, ask.asset, ask.network).andThen((network) => {
    if (ask.sourceAsset === null) return ok({ ...ask, network });
    const source = resolveNetwork(served, ask.side, ask.sourceAsset, ask.sourceNetwork);
    return source.map((sourceNetwork) => ({ ...ask, network, sourceNetwork }));
  });
}

function resolveNetwork(
  { assets }: Capabilities,
  side: Flow,
  code: string,
  network: string | null,
): Result<string, AskRefusal> {
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
