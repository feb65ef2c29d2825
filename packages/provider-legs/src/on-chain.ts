import type { OnChain } from './operation.js';
import type { CallContext } from './progress.js';

/** What buyers and partners see of a transaction, with the link that the chain leg names for its network. */
export function onChainOf(
  { legs }: Pick<CallContext, 'legs'>,
  network: string | null,
  { hash, seen, required }: Omit<OnChain, 'url'>,
): OnChain {
  const template = legs.chain.networks.find((one) => one.network === network)?.txUrl ?? null;
  const url = template === null || hash === null ? null : template.replaceAll('{hash}', hash);
  return { hash, url, seen: Math.min(seen, required), required };
}
