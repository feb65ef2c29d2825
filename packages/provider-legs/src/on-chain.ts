import type { OnChain } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { CallContext } from './progress.js';

/** A transaction as buyers and partners see it, with a link to the block explorer of its network. */
export function onChainOf(
  { legs }: Pick<CallContext, 'legs'>,
  network: string | null,
  { hash: found, seen, required, isMeasured = false }: Omit<OnChain, 'url'> & Pick<Deposit, 'isMeasured'>,
): OnChain {
  // A deposit that was found by a balance has no known transaction.
  const hash = isMeasured ? null : found;
  const template = legs.chain.networks.find((one) => one.network === network)?.txUrl ?? null;
  const url = template === null || hash === null ? null : template.replaceAll('{hash}', hash);
  return { hash, url, seen: Math.min(seen, required), required };
}
