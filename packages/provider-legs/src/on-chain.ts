import type { OnChain } from './operation.js';
import type { CallContext } from './progress.js';

/** A transaction as buyers and partners see it, with a link to the block explorer of its network. */
export function onChainOf(
  { legs }: Pick<CallContext, 'legs'>,
  network: string | null,
  { hash, seen, required }: Omit<OnChain, 'url'>,
): OnChain {
  const template = legs.chain.networks.find((one) => one.network === network)?.txUrl ?? null;
  const url = template === null || hash === null ? null : template.replaceAll('{hash}', hash);
  return { hash, url, seen: Math.min(seen, required), required };
}
